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
  /// `find`, and where there is something `hit`; may leave victims.
  let use: (Request, _ now: UInt64) -> TierCopy?
  let hit: (Request) -> Void
  let store: (Request) -> Bool
  let replace: (Request) -> Bool
  /// What a set does: `find` without counting, then `replace` or `store`; false when it is refused.
  let put: (Request, _ now: UInt64) -> Bool
  let remove: (ObjectID) -> Void
  let foresee: (Request) -> Void
  let needsNextUse: Bool
  let reserve: (_ objects: Int) -> Void
  let prefetch: (ObjectID) -> Void
  private let countsBody: () -> TierCounts
  private let resetBody: () -> Void
  private let usedBody: () -> UInt64
  private let stateBytesBody: () -> Int
  /// What the last `use`, `hit`, `store`, `replace` or `put` evicted, in order.
  let evicted: VictimList

  /// Takes a tier over.
  init<Policy: EvictionPolicy & ~Copyable>(_ tier: consuming Tier<Policy, FullShape>) {
    let held = Held(tier)
    let evicted = VictimList()
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
    use = { request, now in
      evicted.clear()
      return held.with { $0.use(request, now: now) { evicted.append($0) } }
    }
    hit = { request in
      evicted.clear()
      held.with { $0.hit(request) { evicted.append($0) } }
    }
    store = { request in
      evicted.clear()
      return held.with { $0.store(request) { evicted.append($0) } }
    }
    replace = { request in
      evicted.clear()
      return held.with { $0.replace(request) { evicted.append($0) } }
    }
    put = { request, now in
      evicted.clear()
      return held.with { tier in
        if tier.find(request.id, now: now, countsExpiration: false) {
          return tier.replace(request) { evicted.append($0) }
        }
        return tier.store(request) { evicted.append($0) }
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
  /// A copy of `evicted`.
  var victims: [ObjectID] { (0..<evicted.count).map { evicted[$0] } }
  /// Sets all counts to zero.
  func resetCounts() { resetBody() }
}
