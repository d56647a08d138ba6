/// A tier whose policy is not known to the caller: what hybrids, probes and real caches drive.
///
/// One call through a closure for each operation; everything below it is specialised for the
/// policy. A value, so that calling it from a class that holds it counts no references. See `Tier`
/// for what the operations do.
struct TierDriver {
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
    contains = { id in held.with { $0.contains(id) } }
    remembers = { id in held.with { $0.remembers(id) } }
    size = { id in held.with { $0.size(of: id) } }
    expiry = { id in held.with { $0.expiry(of: id) } }
    isStale = { id in held.with { $0.isStale(id) } }
    setStale = { id, isStale in held.with { $0.setStale(id, isStale) } }
    expiryFrom = { now, ttl in held.with { $0.expiry(now: now, ttlSeconds: ttl) } }
    find = { id, now, counts in
      held.with { $0.find(id, now: now, countsExpiration: counts) }
    }
    hit = { request in
      evicted.with { victims in
        victims.removeAll(keepingCapacity: true)
        return held.with { $0.hit(request) { victims.append($0) } }
      }
    }
    store = { request in
      evicted.with { victims in
        victims.removeAll(keepingCapacity: true)
        return held.with { $0.store(request) { victims.append($0) } }
      }
    }
    replace = { request in
      evicted.with { victims in
        victims.removeAll(keepingCapacity: true)
        return held.with { $0.replace(request) { victims.append($0) } }
      }
    }
    remove = { id in held.with { $0.remove(id) } }
    foresee = { request in held.with { $0.foresee(request) } }
    needsNextUse = Policy.description.needs.contains(.nextUse)
    reserve = { objects in held.with { $0.reserve(objects: objects) } }
    prefetch = { id in held.with { $0.prefetch(id) } }
    countsBody = { held.with { $0.counts } }
    resetBody = { held.with { $0.counts = TierCounts() } }
    usedBody = { held.with { $0.used } }
    stateBytesBody = { held.with { $0.stateBytes } }
    self.evicted = evicted
  }

  /// What has happened since the start or the last `resetCounts`.
  var counts: TierCounts { countsBody() }
  /// Sum of the sizes of the resident objects.
  var used: UInt64 { usedBody() }
  /// Memory held, in bytes.
  var stateBytes: Int { stateBytesBody() }
  /// What the last `hit`, `store` or `replace` evicted, in order.
  var victims: [ObjectID] { evicted.with { $0 } }
  /// Sets all counts to zero.
  func resetCounts() { resetBody() }
}
