import LarderEngine

/// CAR (Bansal and Modha, FAST 2004), Figure 2, with sizes for counts.
struct NaiveCAR: NaivePolicy {
  struct Page {
    var object: NaiveWeighted
    var isReferenced = false
  }
  var t1: [Page] = []
  var t2: [Page] = []
  var b1: [NaiveWeighted] = []
  var b2: [NaiveWeighted] = []
  var p = 0.0

  let capacity: UInt64

  init(capacity: UInt64) { self.capacity = capacity }

  func contains(_ id: ObjectID) -> Bool { (t1 + t2).contains { $0.object.id == id } }
  func isGhost(_ id: ObjectID) -> Bool { b1.has(id) || b2.has(id) }
  func weight(_ clock: [Page]) -> UInt64 { clock.map(\.object).weight }

  mutating func hit(_ request: Request) {
    let page = Page(object: NaiveWeighted(request), isReferenced: true)
    for clock in [\NaiveCAR.t1, \.t2] {
      guard let place = self[keyPath: clock].firstIndex(where: { $0.object.id == request.id })
      else { continue }
      self[keyPath: clock][place] = page
    }
  }

  /// The paper's `replace`.
  mutating func evict() -> ObjectID {
    while true {
      let isFirst = Double(weight(t1)) >= max(1, p) && !t1.isEmpty
      if isFirst || t2.isEmpty {
        let head = t1.removeFirst()
        guard head.isReferenced else {
          b1.append(head.object)
          return head.object.id
        }
        t2.append(Page(object: head.object))
      } else {
        let head = t2.removeFirst()
        guard head.isReferenced else {
          b2.append(head.object)
          return head.object.id
        }
        t2.append(Page(object: head.object))
      }
    }
  }

  mutating func insert(_ request: Request) {
    let page = Page(object: NaiveWeighted(request))
    if let ghost = b1.first(where: { $0.id == request.id }) {
      p = min(p + step(ghost, own: b1, other: b2), Double(capacity))
      b1.drop(request.id)
      t2.append(page)
    } else if let ghost = b2.first(where: { $0.id == request.id }) {
      p = max(p - step(ghost, own: b2, other: b1), 0)
      b2.drop(request.id)
      t2.append(page)
    } else {
      t1.append(page)
    }
    trim()
  }

  private func step(
    _ ghost: NaiveWeighted, own: [NaiveWeighted], other: [NaiveWeighted]
  ) -> Double {
    guard ghost.size > 0 else { return 0 }
    return Double(ghost.size) * max(1, Double(other.weight) / Double(own.weight))
  }

  private mutating func trim() {
    while weight(t1) + b1.weight > capacity, !b1.isEmpty { b1.removeFirst() }
    while weight(t1) + weight(t2) + b1.weight + b2.weight > 2 * capacity, !b2.isEmpty {
      b2.removeFirst()
    }
  }

  mutating func remove(_ id: ObjectID) {
    t1.removeAll { $0.object.id == id }
    t2.removeAll { $0.object.id == id }
    b1.drop(id)
    b2.drop(id)
  }
}
