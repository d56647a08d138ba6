import LarderEngine

/// CLOCK-Pro (Jiang, Chen, Zhang, USENIX ATC 2005), with sizes for counts.
///
/// Every page that a hand skips moves to the front, so each hand is always at the oldest page of
/// its kind and the clock is a list. Open points of the paper follow the engine's description.
struct NaiveClockPro: NaivePolicy {
  enum Kind {
    case hot
    case cold
    case tested
    case ghost
  }
  struct Page {
    var object: NaiveWeighted
    var kind: Kind
    var isReferenced = false
  }
  var clock: [Page] = []
  var coldTarget: UInt64

  let capacity: UInt64
  let lowest: UInt64
  let highest: UInt64

  init(capacity: UInt64) {
    self.capacity = capacity
    lowest = max(capacity / 100, 1)
    highest = max(lowest, capacity - lowest)
    coldTarget = lowest
  }

  func place(_ id: ObjectID) -> Int? { clock.firstIndex { $0.object.id == id } }
  func contains(_ id: ObjectID) -> Bool { place(id).map { clock[$0].kind != .ghost } ?? false }
  func isGhost(_ id: ObjectID) -> Bool { place(id).map { clock[$0].kind == .ghost } ?? false }
  func isTested(_ id: ObjectID) -> Bool {
    place(id).map { clock[$0].kind == .ghost || clock[$0].kind == .tested } ?? false
  }
  func weight(where condition: (Kind) -> Bool) -> UInt64 {
    clock.filter { condition($0.kind) }.map(\.object).weight
  }
  var hasHot: Bool { clock.contains { $0.kind == .hot } }

  mutating func hit(_ request: Request) {
    guard let place = place(request.id) else { return }
    clock[place].object = NaiveWeighted(request)
    clock[place].isReferenced = true
  }

  mutating func insert(_ request: Request) {
    let object = NaiveWeighted(request)
    var isHot = weight { $0 != .ghost } + object.size <= capacity - coldTarget
    if isGhost(request.id) {
      isHot = canPromote(object)
      clock.removeAll { $0.object.id == request.id }
    }
    clock.append(Page(object: object, kind: isHot ? .hot : .tested))
  }

  mutating func evict() -> ObjectID {
    while true {
      guard let place = clock.firstIndex(where: { $0.kind == .cold || $0.kind == .tested }) else {
        _ = demoteHot(before: .none)
        continue
      }
      let page = clock[place]
      guard page.isReferenced else {
        leave(place)
        return page.object.id
      }
      let isPromoted = page.kind == .tested && canPromote(page.object)
      clock.removeAll { $0.object.id == page.object.id }
      clock.append(Page(object: page.object, kind: isPromoted ? .hot : .tested))
    }
  }

  private mutating func leave(_ place: Int) {
    guard clock[place].kind == .tested else {
      clock.remove(at: place)
      return
    }
    clock[place].kind = .ghost
    // The test hand.
    while weight(where: { $0 == .ghost }) > capacity,
      let oldest = clock.firstIndex(where: { $0.kind == .ghost || $0.kind == .tested })
    {
      _ = endTest(oldest)
    }
  }

  private mutating func endTest(_ place: Int) -> Int {
    let page = clock[place]
    switch page.kind {
    case .hot, .cold: return place + 1
    case .tested:
      adapt(isRequested: page.isReferenced, page.object.size)
      clock[place].kind = .cold
      return place + 1
    case .ghost:
      adapt(isRequested: false, page.object.size)
      clock.remove(at: place)
      return place
    }
  }

  private mutating func adapt(isRequested: Bool, _ size: UInt64) {
    coldTarget =
      isRequested
      ? min(coldTarget + size, highest) : max(coldTarget - min(size, coldTarget), lowest)
  }

  private mutating func canPromote(_ object: NaiveWeighted) -> Bool {
    adapt(isRequested: true, object.size)
    while weight(where: { $0 == .hot }) + object.size > capacity - coldTarget {
      guard isTested(object.id), demoteHot(before: object.id) else { return false }
    }
    return true
  }

  private mutating func demoteHot(before limit: ObjectID) -> Bool {
    guard var place = clock.firstIndex(where: { $0.kind == .hot }) else { return false }
    var isDemoted = false
    while hasHot, !isDemoted, clock[place].object.id != limit {
      if clock[place].kind == .hot {
        let page = clock.remove(at: place)
        isDemoted = !page.isReferenced
        clock.append(Page(object: page.object, kind: isDemoted ? .cold : .hot))
      } else {
        place = endTest(place)
      }
    }
    moveToHot(from: place)
    return isDemoted
  }

  private mutating func moveToHot(from place: Int) {
    var place = place
    while hasHot, clock[place].kind != .hot { place = endTest(place) }
  }

  mutating func remove(_ id: ObjectID) {
    guard let place = place(id) else { return }
    let isUnderHotHand = clock.firstIndex { $0.kind == .hot } == place
    clock.remove(at: place)
    if isUnderHotHand { moveToHot(from: place) }
  }
}
