import LarderEngine

/// 2Q, the full version (Johnson and Shasha, VLDB 1994, section 3.2), with sizes for counts.
struct NaiveTwoQ: NaivePolicy {
  /// Oldest first, all three: the FIFO of new objects, its ghosts, and the LRU list.
  var a1in: [NaiveWeighted] = []
  var a1out: [NaiveWeighted] = []
  var am: [NaiveWeighted] = []
  var returning: ObjectID = .none

  /// Kin and Kout in the paper.
  let a1inLimit: UInt64
  let a1outLimit: UInt64

  init(capacity: UInt64, in share: Double, ghost: Double) {
    a1inLimit = UInt64(share * Double(capacity))
    a1outLimit = UInt64(ghost * Double(capacity))
  }

  func contains(_ id: ObjectID) -> Bool { a1in.has(id) || am.has(id) }
  func isGhost(_ id: ObjectID) -> Bool { a1out.has(id) }

  mutating func hit(_ request: Request) {
    let now = NaiveWeighted(request)
    if let place = a1in.firstIndex(where: { $0.id == request.id }) {
      a1in[place] = now
    } else {
      am.drop(request.id)
      am.append(now)
    }
  }

  mutating func admit(_ request: Request) -> Bool {
    returning = a1out.take { $0.id == request.id }?.id ?? .none
    return true
  }

  mutating func insert(_ request: Request) {
    if returning == request.id {
      am.append(NaiveWeighted(request))
    } else {
      a1in.append(NaiveWeighted(request))
    }
    returning = .none
  }

  /// The paper's `reclaimfor`.
  mutating func evict() -> ObjectID {
    guard a1in.weight > a1inLimit || am.isEmpty else { return am.removeFirst().id }
    let oldest = a1in.removeFirst()
    if oldest.size <= a1outLimit {
      a1out.append(oldest)
      while a1out.weight > a1outLimit { a1out.removeFirst() }
    }
    return oldest.id
  }

  mutating func remove(_ id: ObjectID) {
    a1in.drop(id)
    a1out.drop(id)
    am.drop(id)
  }
}
