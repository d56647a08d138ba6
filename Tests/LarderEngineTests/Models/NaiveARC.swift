import LarderEngine

/// ARC (Megiddo and Modha, FAST 2003), Figure 4, with sizes for counts: the figure's condition
/// "exactly c pages" becomes "no room for the new object".
struct NaiveARC: NaivePolicy {
  var t1: [NaiveWeighted] = []
  var t2: [NaiveWeighted] = []
  var b1: [NaiveWeighted] = []
  var b2: [NaiveWeighted] = []
  var p = 0.0
  var missing: NaiveWeighted?

  let capacity: UInt64

  init(capacity: UInt64) { self.capacity = capacity }

  func contains(_ id: ObjectID) -> Bool { t1.has(id) || t2.has(id) }
  func isGhost(_ id: ObjectID) -> Bool { b1.has(id) || b2.has(id) }

  mutating func hit(_ request: Request) {
    remove(request.id)
    t2.append(NaiveWeighted(request))
  }

  mutating func admit(_ request: Request) -> Bool {
    missing = NaiveWeighted(request)
    if let ghost = b1.first(where: { $0.id == request.id }) {
      p = min(p + step(ghost, own: b1, other: b2), Double(capacity))
    } else if let ghost = b2.first(where: { $0.id == request.id }) {
      p = max(p - step(ghost, own: b2, other: b1), 0)
    }
    return true
  }

  private func step(
    _ ghost: NaiveWeighted, own: [NaiveWeighted], other: [NaiveWeighted]
  ) -> Double {
    guard ghost.size > 0 else { return 0 }
    return Double(ghost.size) * max(Double(other.weight) / Double(own.weight), 1)
  }

  mutating func evict() -> ObjectID {
    // Case IV A with |T1| = c: even without its ghosts, which go first, L1 would be too large.
    if let missing, !isGhost(missing.id), t1.weight + missing.size > capacity {
      b1 = []
      return t1.removeFirst().id
    }
    return replace()
  }

  private mutating func replace() -> ObjectID {
    let t1Size = Double(t1.weight)
    let isInB2 = missing.map { b2.has($0.id) } ?? false
    let takesFirst = !t1.isEmpty && (t1Size > p || (isInB2 && t1Size == p))
    if takesFirst || t2.isEmpty {
      let victim = t1.removeFirst()
      b1.append(victim)
      return victim.id
    }
    let victim = t2.removeFirst()
    b2.append(victim)
    return victim.id
  }

  mutating func insert(_ request: Request) {
    let wasGhost = isGhost(request.id)
    remove(request.id)
    if wasGhost { t2.append(NaiveWeighted(request)) } else { t1.append(NaiveWeighted(request)) }
    missing = nil
    trim()
  }

  /// The ghosts that cases IV A and B delete: L1 holds at most c, both together 2c. They are
  /// deleted when an object is stored; an object that grows in place can exceed the limit until
  /// then.
  mutating func trim() {
    while t1.weight + b1.weight > capacity, !b1.isEmpty { b1.removeFirst() }
    while t1.weight + t2.weight + b1.weight + b2.weight > 2 * capacity, !b2.isEmpty {
      b2.removeFirst()
    }
  }

  mutating func remove(_ id: ObjectID) {
    t1.drop(id)
    t2.drop(id)
    b1.drop(id)
    b2.drop(id)
  }
}
