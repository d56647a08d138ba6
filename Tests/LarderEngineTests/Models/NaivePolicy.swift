import LarderEngine

/// An eviction policy written with plain arrays and linear searches, straight from its paper.
///
/// The models share no code with the engine's policies, so that errors show as differences. The
/// calls are those of `EvictionPolicy`; the driver of a model keeps the sizes.
protocol NaivePolicy {
  func contains(_ id: ObjectID) -> Bool
  func isGhost(_ id: ObjectID) -> Bool
  var overflows: Bool { get }
  var exceedsCapacity: Bool { get }
  /// A resident object is requested; `request.size` is its stored size.
  mutating func hit(_ request: Request)
  mutating func replace(_ request: Request)
  func hasIdled(_ id: ObjectID) -> Bool
  /// Read after a missing object was admitted: while it is true, the driver calls `evict`.
  func isFull(for request: Request) -> Bool
  mutating func evict(for request: Request) -> ObjectID
  /// Called for a missing object before anything is evicted for it.
  mutating func admit(_ request: Request) -> Bool
  mutating func evict() -> ObjectID
  mutating func foresee(_ request: Request)
  mutating func observe(_ id: ObjectID, now: UInt64, fetchLatency: UInt64)
  mutating func advance(to now: UInt64)
  mutating func follow(_ now: UInt64)
  /// A resident object has another expiry.
  mutating func renew(_ request: Request)
  /// An object of another policy's cache, in order of their last requests; called before anything
  /// else. False if the policy only stores it.
  mutating func takeOver(_ heir: NaiveHeir) -> Bool
  mutating func insert(_ request: Request)
  mutating func remove(_ id: ObjectID)
}

extension NaivePolicy {
  func isGhost(_ id: ObjectID) -> Bool { false }
  var overflows: Bool { false }
  var exceedsCapacity: Bool { false }
  func hasIdled(_ id: ObjectID) -> Bool { false }
  func isFull(for request: Request) -> Bool { false }
  mutating func evict(for request: Request) -> ObjectID { evict() }
  mutating func replace(_ request: Request) { hit(request) }
  mutating func admit(_ request: Request) -> Bool { true }
  mutating func foresee(_ request: Request) {}
  mutating func observe(_ id: ObjectID, now: UInt64, fetchLatency: UInt64) {}
  mutating func advance(to now: UInt64) {}
  mutating func follow(_ now: UInt64) {}
  mutating func renew(_ request: Request) {}
  mutating func takeOver(_ heir: NaiveHeir) -> Bool { false }
}

extension Array {
  mutating func take(where condition: (Element) -> Bool) -> Element? {
    firstIndex(where: condition).map { remove(at: $0) }
  }

  func firstMinimum(by less: (Element, Element) -> Bool) -> Element? {
    reduce(nil) { best, next in
      guard let best else { return next }
      return less(next, best) ? next : best
    }
  }
}
