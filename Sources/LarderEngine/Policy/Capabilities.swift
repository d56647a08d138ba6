// Abilities of a policy besides choosing a victim. Calls of the defaults fold away.

/// For policies with ghosts, that is, with state of objects that are not resident.
public protocol RemembersGhosts: ~Copyable {
  /// Returns true if the policy holds any state of the object, resident or ghost. A real cache may
  /// assign the id to another key only if this is false.
  func remembers(_ id: ObjectID) -> Bool

  /// The largest number of remembered objects that are not resident: an estimate.
  var ghostsMax: Int { get }

  /// Calls `body` with the queues if their ghost queue holds all remembered objects that are not
  /// resident, so that a real cache can keep ghosts by slot; returns nil otherwise.
  mutating func withGhostQueues<Result>(_ body: (inout ThreeQueues) -> Result) -> Result?
}

/// For policies that reject objects, divide their capacity, or keep properties of values.
public protocol ControlsAdmission: ~Copyable {
  /// Called when a resident object's value is replaced, which also counts as a request.
  /// `request.size` is the new size; `sizes` still holds the old one during the call.
  mutating func replace(_ request: Request, _ sizes: some ObjectSizes)

  /// Returns true if a missing object should be stored, before anything is evicted for it.
  mutating func admit(_ request: Request, _ sizes: some ObjectSizes) -> Bool

  /// Returns true if an object must be evicted for a missing one although the capacity would hold
  /// it. Called after an `admit` that accepts. True only while something is resident.
  func isFull(for request: Request) -> Bool

  /// True if the policy holds more than it should. Read after `hit`, `replace` and an `admit` that
  /// rejects; while it is true, the driver calls `evict`.
  var overflows: Bool { get }

  /// True if the policy alone decides when the cache holds too much, as a server that evicts at
  /// times of its own. Constant; for simulations.
  var exceedsCapacity: Bool { get }
}

/// For policies that can predict their victim.
public protocol PredictsVictim: ~Copyable {
  /// The object that `evict` would return now, for admission filters that compare victims; `.none`
  /// if nothing is resident. They read it only if the policy has the trait `namesVictim`.
  var victim: ObjectID { get }

  /// An object that `evict` is likely to return soon, or `.none`: a hint, without a search.
  var candidate: ObjectID { get }

  /// Prefetches what the state of `id` points to, some requests after `prefetch(id)`. A hint.
  func prefetchNeighbours(_ id: ObjectID)
}

/// For policies that use time, latency, or knowledge of the future.
public protocol ReceivesNotices: ~Copyable {
  /// The kinds of notices that the policy receives: a constant, so that the others fold away.
  static var notices: PolicyNotices { get }

  /// Called for an event of a kind in `notices`, and `nextUse` for a policy that needs it.
  mutating func notice(_ notice: PolicyNotice)

  /// True if a resident object is idle for too long: the driver removes it like an expired one.
  func isIdle(_ id: ObjectID) -> Bool
}

/// For policies whose hits change one word.
public protocol AllowsConcurrentHits: ~Copyable {
  /// Describes hits that only update one word per object, so that a real cache makes them without
  /// an exclusive lock while another thread calls the policy; nil if a hit does more. Two hits of
  /// one object at the same time may count as one. Constant until `reserve`.
  var hitWords: HitWords? { get }
}

/// For policies that can lead a cache which another policy has filled: see `Auto`.
public protocol TakesOver: ~Copyable {
  /// Takes over an object of a cache of its own capacity; called before anything else, once for
  /// each resident and ghost, the least recently requested first. Returns false if the policy
  /// cannot: the driver then inserts a resident. Objects requested long ago must not enter a
  /// protected part.
  mutating func takeOver(_ object: KnownObject) -> Bool
}

/// An object of a cache that another policy is to manage from now on.
public struct KnownObject: BitwiseCopyable, Sendable {
  /// The object.
  public var id: ObjectID
  /// Its fingerprint: see `Request.fingerprint`.
  public var fingerprint: UInt32
  /// Its size, in units of the capacity.
  public var size: UInt32
  /// The cost of fetching it.
  public var cost: Float
  /// Requests of any object since its last one.
  public var age: UInt32
  /// Its requests since it was stored, without that one; up to 255.
  public var requests: UInt32
  /// False for a ghost.
  public var isResident: Bool

  @inlinable package init(
    id: ObjectID, fingerprint: UInt32, size: UInt32, cost: Float, age: UInt32, requests: UInt32,
    isResident: Bool
  ) {
    self.id = id
    self.fingerprint = fingerprint
    self.size = size
    self.cost = cost
    self.age = age
    self.requests = requests
    self.isResident = isResident
  }
}

/// For policies that choose among other policies.
public protocol ChoosesPolicy: ~Copyable {
  /// The choice at this moment; nil for a policy that has none.
  var choice: PolicyChoice? { get }

  /// The index of the policy that leads, as in the choice; nil for a policy that has none. O(1).
  var leading: Int? { get }

  /// Continues from the choice of an earlier cache whose objects are stored again, such as one with
  /// another capacity. Called before that, while the policy is empty, with `isRestoring`, and once
  /// more after it. A choice among other policies is ignored.
  mutating func resume(_ choice: PolicyChoice, isRestoring: Bool)
}

/// The policies among which a policy chooses, as at one moment.
public struct PolicyChoice: Sendable, Hashable, Codable {
  /// The policies with their parameters, as typed.
  public let policies: [String]
  /// The index of the policy that leads.
  public let leading: Int
  /// Changes of the leader so far.
  public let switches: Int
  /// The hit ratio of each policy, in miniature simulations of recent requests: their differences
  /// are more exact than their levels. Empty before the first request of the sample.
  public let hitRatios: [Double]
  /// The share of the objects that is simulated.
  public let sampleShare: Double
  /// Requests of the sample from which the hit ratios are computed; older ones count less.
  public let samples: Double
  /// Changes of the leader of late, which delay the next one; older ones count less.
  package let recentSwitches: Double

  package init(
    policies: [String], leading: Int, switches: Int, hitRatios: [Double], sampleShare: Double,
    samples: Double, recentSwitches: Double
  ) {
    self.policies = policies
    self.leading = leading
    self.switches = switches
    self.hitRatios = hitRatios
    self.sampleShare = sampleShare
    self.samples = samples
    self.recentSwitches = recentSwitches
  }

  /// Creates a choice from values that were stored; nil if no policy could have them.
  package init?(
    stored policies: [String], leading: UInt64, switches: UInt64, hitRatios: [Double],
    sampleShare: Double, samples: Double, recentSwitches: Double
  ) {
    let ratios = 0...1.0
    guard leading < policies.count, switches <= UInt32.max,
      hitRatios.count == (samples == 0 ? 0 : policies.count),
      hitRatios.allSatisfy({ ratios.contains($0) }), sampleShare > 0x1p-63, sampleShare <= 1,
      samples >= 0, samples <= 0x1p63, recentSwitches >= 0, recentSwitches <= Double(switches)
    else { return nil }
    self.init(
      policies: policies, leading: Int(leading), switches: Int(switches), hitRatios: hitRatios,
      sampleShare: sampleShare, samples: samples, recentSwitches: recentSwitches)
  }

  /// The policy that leads, as typed; empty if a decoded `leading` is not an index.
  public var leader: String { policies.indices.contains(leading) ? policies[leading] : "" }

  /// True for a choice among these policies, whatever the `stack` of LIRS.
  package func isAmong(_ specs: [PolicySpec]) -> Bool {
    func comparable(_ policy: String) -> [Substring] {
      policy.split(separator: ":").filter { !$0.hasPrefix("stack=") }
    }
    return policies.map(comparable) == specs.map { comparable($0.description) }
  }
}

/// Kinds of notices. Combine two with `union`, which folds.
public struct PolicyNotices: OptionSet, Sendable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  @inlinable @inline(__always) public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `PolicyNotice.time`.
  @inlinable public static var time: PolicyNotices { PolicyNotices(rawValue: 1) }
  /// `PolicyNotice.request` and `PolicyNotice.fetchCompleted`.
  @inlinable public static var requests: PolicyNotices { PolicyNotices(rawValue: 2) }
  /// `isIdle` may be true.
  @inlinable public static var idleness: PolicyNotices { PolicyNotices(rawValue: 4) }
  /// `PolicyNotice.expiry`.
  @inlinable public static var expiries: PolicyNotices { PolicyNotices(rawValue: 8) }
}

/// An event other than a hit. Times are in microseconds and never decrease.
@frozen public enum PolicyNotice {
  /// The time before each operation but removals; 0, or no notice, if it is unknown: `RequestTime`.
  case time(UInt64)
  /// A request of an object, regardless of its outcome, before `contains`; only if fetches take
  /// time. `fetchLatency` is the latency of a fetch, without queueing at the origin. In a hybrid's
  /// memory, it is that of a read if disk holds the object; on disk, demotions count as requests.
  case request(ObjectID, now: UInt64, fetchLatency: UInt64)
  /// The end of a fetch or a read: `admit`, `evict` and `insert` for its object may follow.
  case fetchCompleted(at: UInt64)
  /// The next use of a resident object for which another tier answered.
  case nextUse(Request)
  /// Another expiry of a resident object, or `Request.noExpiry`; not a use.
  case expiry(ObjectID, UInt64)
}

extension EvictionPolicy where Self: ~Copyable {
  /// Defaults to `contains`, for policies without ghosts.
  @inlinable @inline(__always) public func remembers(_ id: ObjectID) -> Bool { contains(id) }

  /// Defaults to 0.
  @inlinable public var ghostsMax: Int { 0 }

  /// Defaults to nil.
  @inlinable @inline(__always) public mutating func withGhostQueues<Result>(
    _ body: (inout ThreeQueues) -> Result
  ) -> Result? { nil }

  /// Defaults to `hit`.
  @inlinable @inline(__always) public mutating func replace(
    _ request: Request, _ sizes: some ObjectSizes
  ) {
    hit(request, sizes)
  }

  /// Defaults to true: every object is admitted.
  @inlinable @inline(__always) public mutating func admit(
    _ request: Request, _ sizes: some ObjectSizes
  ) -> Bool { true }

  /// Defaults to false: objects that fit are stored.
  @inlinable @inline(__always) public func isFull(for request: Request) -> Bool { false }

  /// Defaults to false: only objects that do not fit are evicted for.
  @inlinable @inline(__always) public var overflows: Bool { false }

  /// Defaults to false: the capacity is a limit.
  @inlinable public var exceedsCapacity: Bool { false }

  /// Defaults to `.none`.
  @inlinable public var victim: ObjectID { .none }

  /// Defaults to the victim.
  @inlinable @inline(__always) public var candidate: ObjectID { victim }

  /// Does nothing by default.
  @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {}

  /// Defaults to none.
  @inlinable public static var notices: PolicyNotices { PolicyNotices(rawValue: 0) }

  /// Does nothing by default.
  @inlinable @inline(__always) public mutating func notice(_ notice: PolicyNotice) {}

  /// Defaults to false.
  @inlinable @inline(__always) public func isIdle(_ id: ObjectID) -> Bool { false }

  /// Defaults to false: the driver inserts the residents.
  @inlinable public mutating func takeOver(_ object: KnownObject) -> Bool { false }

  /// Defaults to nil: no choice.
  @inlinable public var choice: PolicyChoice? { nil }

  /// Defaults to nil: no choice.
  @inlinable public var leading: Int? { nil }

  /// Does nothing by default.
  @inlinable public mutating func resume(_ choice: PolicyChoice, isRestoring: Bool) {}

  /// Defaults to nil: hits need an exclusive lock.
  @inlinable public var hitWords: HitWords? { nil }
}
