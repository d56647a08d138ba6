/// A tier whose policy is not known to the caller: what hybrids, probes and real caches drive.
///
/// One dynamic call for each operation; everything below it is specialised for the policy.
protocol TierDriver: AnyObject {
  /// See `Tier`.
  var counts: TierCounts { get set }
  /// Sum of the sizes of the resident objects.
  var used: UInt64 { get }
  /// Memory held, in bytes.
  var stateBytes: Int { get }
  /// What the last `hit`, `store` or `replace` evicted, in order.
  var victims: [ObjectID] { get }

  func contains(_ id: ObjectID) -> Bool
  func remembers(_ id: ObjectID) -> Bool
  func size(of id: ObjectID) -> UInt32
  func expiry(of id: ObjectID) -> UInt64
  func isStale(_ id: ObjectID) -> Bool
  func setStale(_ id: ObjectID, _ isStale: Bool)
  func expiry(now: UInt64, ttlSeconds: UInt32) -> UInt64
  func find(_ id: ObjectID, now: UInt64, countsExpiration: Bool) -> Bool
  func hit(_ request: Request)
  func store(_ request: Request) -> Bool
  func replace(_ request: Request) -> Bool
  func remove(_ id: ObjectID)
  func reserve(objects: Int)
  func prefetch(_ id: ObjectID)
}

/// A tier in a box.
final class TierBox<Policy: EvictionPolicy & ~Copyable>: TierDriver {
  private var tier: Tier<Policy, FullShape>
  private(set) var victims: [ObjectID] = []

  /// See `Tier.init`.
  init(_ setup: TierSetup, unit: CapacityUnit, objects: Int, seed: UInt64) throws(PolicyError) {
    tier = try Tier(setup, unit: unit, objects: objects, seed: seed)
  }

  var counts: TierCounts {
    get { tier.counts }
    set { tier.counts = newValue }
  }
  var used: UInt64 { tier.used }
  var stateBytes: Int { tier.stateBytes }

  func contains(_ id: ObjectID) -> Bool { tier.contains(id) }
  func remembers(_ id: ObjectID) -> Bool { tier.remembers(id) }
  func size(of id: ObjectID) -> UInt32 { tier.size(of: id) }
  func expiry(of id: ObjectID) -> UInt64 { tier.expiry(of: id) }
  func isStale(_ id: ObjectID) -> Bool { tier.isStale(id) }
  func setStale(_ id: ObjectID, _ isStale: Bool) { tier.setStale(id, isStale) }
  func expiry(now: UInt64, ttlSeconds: UInt32) -> UInt64 {
    tier.expiry(now: now, ttlSeconds: ttlSeconds)
  }
  func find(_ id: ObjectID, now: UInt64, countsExpiration: Bool) -> Bool {
    tier.find(id, now: now, countsExpiration: countsExpiration)
  }
  func hit(_ request: Request) {
    victims.removeAll(keepingCapacity: true)
    tier.hit(request) { victims.append($0) }
  }
  func store(_ request: Request) -> Bool {
    victims.removeAll(keepingCapacity: true)
    return tier.store(request) { victims.append($0) }
  }
  func replace(_ request: Request) -> Bool {
    victims.removeAll(keepingCapacity: true)
    return tier.replace(request) { victims.append($0) }
  }
  func remove(_ id: ObjectID) { tier.remove(id) }
  func reserve(objects: Int) { tier.reserve(objects: objects) }
  func prefetch(_ id: ObjectID) { tier.prefetch(id) }
}
