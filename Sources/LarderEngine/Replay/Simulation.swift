/// A cache under simulation, stepped through the requests of a trace.
///
/// # Effects of a request
///
/// **Single tier, get.** A resident entry whose expiry is at or before the request's time is
/// removed and counts in `expirations`; the request continues as a miss. Any other resident entry
/// is a hit. A miss is fetched and stored: see *storing*.
///
/// **Set.** Resident (and not expired: an expired entry is first removed, without being counted):
/// the value is replaced, the expiry renewed, and if the new size does not fit, the policy evicts
/// until it does, possibly the object itself. Replaced by something larger than the capacity:
/// removed, and a rejection. Not resident: *storing*. **Delete.** Removed if it is resident.
/// **Modify.** The origin has a new version, of which caches are not notified: hits on earlier
/// copies count as hits and also as `staleHits`, until the copy is replaced or stored again.
///
/// **Costs.** The cost of fetching an object is set when it is stored, and kept with the copy: a
/// hit, a promotion and a demotion have the cost of the copy, because they do not fetch.
///
/// **Storing** an object in a tier: if it is larger than the capacity, or not admitted by the
/// policy: a rejection. Otherwise evict until the number of objects is below the tier's limit, if
/// it has one, and until the object fits; then insert: an admission. Its expiry is the request's
/// time plus the smaller of the request's and the tier's TTL.
///
/// **Hybrid, get.** Memory is looked up first, then disk, each with expiry as above. Memory's
/// policy sees all lookups, disk's only those that memory could not answer (one that knows the
/// future is still notified of next uses). A miss is stored, when inclusive, on disk and then in
/// memory; when exclusive, in memory, or on disk if memory rejects it. A disk hit that passes the
/// promotion rule is stored in memory with the copy's size, version and expiry (memory's own TTL,
/// when shorter, counts from now); when exclusive and not rejected there, it first leaves disk.
/// Objects evicted from memory are stored on disk when exclusive (a demotion, keeping size, version
/// and expiry; expired ones are dropped). A demotion and a promotion are also admissions of the
/// tier they enter.
///
/// **Hybrid, set.** Inclusive: like a single tier's set on disk, then in memory. Exclusive: removed
/// from disk, then a set in memory, or on disk if memory rejects it. **Delete**: from both.
public protocol Simulation: AnyObject {
  /// Counts since the start or the last `resetCounts`.
  var counts: Counts { get }

  /// Position of the next request.
  var position: Int { get }

  /// Sizes in bytes that each tier served, if the setup requests them.
  var outcomes: OutcomeSizes? { get }

  /// Values copied to recycle segments since the start or the last `resetCounts`.
  var copies: UInt64 { get }

  /// The choice of a policy that chooses among others, in a hybrid that of memory or else of disk;
  /// nil for other policies.
  var choice: PolicyChoice? { get }

  /// True if a get of an object would be a hit as the next request.
  func holds(_ id: ObjectID) -> Bool

  /// Memory held in addition to the trace's columns, in bytes.
  var stateBytes: Int { get }

  /// Replays requests up to `end`, exclusive, which is at most the number of requests. With
  /// `untilFirstEviction` it stops after the first request in which a tier (for a hybrid: disk)
  /// evicted, and returns true.
  @discardableResult func run(upTo end: Int, untilFirstEviction: Bool) -> Bool

  /// Resets all counts and keeps the cache's content: the end of a warm-up.
  func resetCounts()
}

extension Simulation {
  /// Defaults to 0: no segments.
  public var copies: UInt64 { 0 }

  /// Defaults to nil.
  public var choice: PolicyChoice? { nil }

  /// Defaults to false, for simulations that are never replayed by prompts.
  public func holds(_ id: ObjectID) -> Bool { false }
}

/// One tier of a simulated or real cache.
public struct TierSetup: Sendable, Hashable {
  /// The policy with its parameters.
  public var policy: PolicySpec
  /// The capacity of the tier, in the simulation's unit. From 1 to `PolicySetup.capacityMax`.
  public var capacity: UInt64
  /// The TTL of entries whose request has none, and the longest TTL of others; in seconds, nil for
  /// no limit.
  public var timeToLiveSeconds: UInt32?
  /// The largest number of resident objects, in addition to the capacity; at least 1, nil for no
  /// limit. If the capacity counts objects, the lower of the two is the capacity of policy and
  /// filter; if it counts bytes, they do not know this limit.
  public var objectsMax: UInt64?
  /// The admission filter with its parameters; nil to store all objects that the policy admits.
  public var admission: PolicySpec?

  /// Creates a tier from its parts.
  public init(
    policy: PolicySpec, capacity: UInt64, timeToLiveSeconds: UInt32? = nil,
    objectsMax: UInt64? = nil, admission: PolicySpec? = nil
  ) {
    self.policy = policy
    self.capacity = capacity
    self.timeToLiveSeconds = timeToLiveSeconds
    self.objectsMax = objectsMax
    self.admission = admission
  }
}

/// The tiers of a cache and their relation.
public enum Arrangement: Sendable, Hashable {
  /// One tier, whose hits count as memory's.
  case memory(TierSetup)
  /// One tier, whose hits count as disk's.
  case disk(TierSetup)
  /// Memory in front of disk.
  case hybrid(memory: TierSetup, disk: TierSetup, rules: HybridRules)
}

/// The rules for moves between the tiers of a hybrid, shared by the real cache and the simulator.
public struct HybridRules: Sendable, Hashable, Codable {
  /// Relations between the contents of the tiers.
  public enum Inclusion: String, Sendable, Hashable, Codable, CaseIterable {
    /// Write-through: an object fetched from the origin is stored in both tiers, and each tier
    /// evicts independently.
    case inclusive
    /// An object is in at most one tier: it enters memory, moves to disk when memory evicts it, and
    /// moves back when it is promoted.
    case exclusive
  }

  /// Rules for promotion to memory after a disk hit.
  public enum Promotion: String, Sendable, Hashable, Codable, CaseIterable {
    /// On every disk hit.
    case always
    /// On the second disk hit since the object was stored on disk or last promoted, and on every
    /// second hit after that.
    case secondHit = "second-hit"
    /// Never: memory is filled only from the origin.
    case never
  }

  /// The tiers that may store an entry, by its remaining TTL: short-lived entries are not worth a
  /// write to disk, and long-lived ones do not take memory.
  ///
  /// Applies whenever an entry is stored: to one from the origin or a set with the TTL that it
  /// would have on disk, to a promotion with the remaining TTL of the copy on disk, and to a
  /// demotion with that of the copy in memory. A set removes the entry from a tier that may no
  /// longer hold it.
  public struct Placement: Sendable, Hashable, Codable {
    /// An entry with a shorter TTL is not stored on disk. In seconds.
    public var memoryOnlyBelowSeconds: UInt32
    /// An entry with at least this TTL, or none, is not stored in memory, unless its TTL is below
    /// `memoryOnlyBelowSeconds`. In seconds.
    public var diskOnlyFromSeconds: UInt32

    /// Creates limits; by default five minutes and one hour.
    public init(memoryOnlyBelowSeconds: UInt32 = 300, diskOnlyFromSeconds: UInt32 = 3600) {
      self.memoryOnlyBelowSeconds = memoryOnlyBelowSeconds
      self.diskOnlyFromSeconds = diskOnlyFromSeconds
    }
  }

  /// The relation between the contents of the tiers.
  public var inclusion: Inclusion
  /// The rule for promotion to memory after a disk hit.
  public var promotion: Promotion
  /// The tiers that may store an entry, by its remaining TTL; nil for both regardless of its TTL.
  public var placement: Placement?

  /// Creates rules; by default write-through with promotion on every disk hit, regardless of TTLs.
  public init(
    inclusion: Inclusion = .inclusive, promotion: Promotion = .always,
    placement: Placement? = nil
  ) {
    self.inclusion = inclusion
    self.promotion = promotion
    self.placement = placement
  }
}

/// The setup of one simulation, through which `RequestColumns` are replayed.
public struct SimulationSetup: Sendable, Hashable {
  /// The tiers.
  public var arrangement: Arrangement
  /// The unit of capacities. With `.objects` the trace's sizes are ignored: every object weighs 1,
  /// and bytes in the counts are objects.
  public var unit: CapacityUnit
  /// The seed of random policies.
  public var seed: UInt64
  /// True to keep histograms of the sizes that each tier served, for a latency model.
  public var recordsOutcomes: Bool
  /// Latencies of fetches; nil for a simulation without time.
  public var time: FetchModel?
  /// The segments of a single disk tier whose capacity counts bytes; nil if each value is written
  /// once.
  public var segments: SegmentSetup?

  /// Creates a setup from its parts.
  public init(
    arrangement: Arrangement, unit: CapacityUnit, seed: UInt64 = 0, recordsOutcomes: Bool = false,
    time: FetchModel? = nil, segments: SegmentSetup? = nil
  ) {
    self.arrangement = arrangement
    self.unit = unit
    self.seed = seed
    self.recordsOutcomes = recordsOutcomes
    self.time = time
    self.segments = segments
  }
}
