/// A tier whose policy is not known to the caller: what hybrids, probes and real caches drive.
///
/// One call through a closure for each operation; everything below it is specialised for the
/// policy. See `Tier` for what the operations do.
final class TierDriver {
  let contains: (ObjectID) -> Bool
  let remembers: (ObjectID) -> Bool
  let size: (ObjectID) -> UInt32
  let expiry: (ObjectID) -> UInt64
  let isStale: (ObjectID) -> Bool
  let setStale: (ObjectID, Bool) -> Void
  let expiryFrom: (_ now: UInt64, _ ttlSeconds: UInt32) -> UInt64
  let find: (ObjectID, _ now: UInt64, _ countsExpiration: Bool) -> Bool
  let hit: (Request) -> Void
  let store: (Request) -> Bool
  let replace: (Request) -> Bool
  let remove: (ObjectID) -> Void
  let foresee: (Request) -> Void
  let needsNextUse: Bool
  let reserve: (_ objects: Int) -> Void
  let prefetch: (ObjectID) -> Void
  private let countsBody: () -> TierCounts
  private let resetBody: () -> Void
  private let usedBody: () -> UInt64
  private let stateBytesBody: () -> Int
  private let evicted: Held<[ObjectID]>

  /// Takes a tier over.
  init<Policy: EvictionPolicy & ~Copyable>(_ tier: consuming Tier<Policy, FullShape>) {
    let held = Held(tier)
    let evicted = Held<[ObjectID]>([])
    contains = { held.value.contains($0) }
    remembers = { held.value.remembers($0) }
    size = { held.value.size(of: $0) }
    expiry = { held.value.expiry(of: $0) }
    isStale = { held.value.isStale($0) }
    setStale = { held.value.setStale($0, $1) }
    expiryFrom = { held.value.expiry(now: $0, ttlSeconds: $1) }
    find = { held.value.find($0, now: $1, countsExpiration: $2) }
    hit = { request in
      evicted.value.removeAll(keepingCapacity: true)
      held.value.hit(request) { evicted.value.append($0) }
    }
    store = { request in
      evicted.value.removeAll(keepingCapacity: true)
      return held.value.store(request) { evicted.value.append($0) }
    }
    replace = { request in
      evicted.value.removeAll(keepingCapacity: true)
      return held.value.replace(request) { evicted.value.append($0) }
    }
    remove = { held.value.remove($0) }
    foresee = { held.value.foresee($0) }
    needsNextUse = Policy.description.needs.contains(.nextUse)
    reserve = { held.value.reserve(objects: $0) }
    prefetch = { held.value.prefetch($0) }
    countsBody = { held.value.counts }
    resetBody = { held.value.counts = TierCounts() }
    usedBody = { held.value.used }
    stateBytesBody = { held.value.stateBytes }
    self.evicted = evicted
  }

  /// What has happened since the start or the last `resetCounts`.
  var counts: TierCounts { countsBody() }
  /// Sum of the sizes of the resident objects.
  var used: UInt64 { usedBody() }
  /// Memory held, in bytes.
  var stateBytes: Int { stateBytesBody() }
  /// What the last `hit`, `store` or `replace` evicted, in order.
  var victims: [ObjectID] { evicted.value }
  /// Sets all counts to zero.
  func resetCounts() { resetBody() }
}
