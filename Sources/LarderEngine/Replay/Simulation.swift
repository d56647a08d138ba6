/// A cache under simulation, stepped through the requests of a trace.
///
/// **Get.** A resident entry whose expiry is at or before the request's time is removed and counts
/// in `expirations`; any other is a hit. A miss is *stored*. **Set.** A resident entry that is not
/// expired is replaced, with the expiry renewed, and the policy evicts until it fits; one larger
/// than the capacity is removed, and a rejection. Otherwise it is stored. **Modify.** Hits on
/// earlier copies also count as `staleHits`, until the copy is replaced. **Costs** are kept with
/// the copy that was fetched.
///
/// **Storing.** An object larger than the capacity, or not admitted: a rejection. Otherwise evict
/// until the number of objects is below the tier's limit and the object fits; then an admission.
/// Its expiry is the request's time plus the smaller of the request's and the tier's TTL.
///
/// **Hybrid.** Memory is looked up first, then disk, whose policy sees only what memory could not
/// answer. A miss is stored, when inclusive, on disk and then in memory; when exclusive, in memory,
/// or on disk if memory rejects it. A disk hit that passes the promotion rule is stored in memory
/// with the copy's size, version and expiry (or memory's own TTL, if shorter), and leaves disk when
/// exclusive. Objects evicted from memory are then demoted to disk, unless expired. A set is one on
/// disk and in memory when inclusive; when exclusive it removes from disk.
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

  /// The tiers that may store an entry, by its remaining TTL whenever it is stored: short-lived
  /// entries are not worth a write to disk, and long-lived ones do not take memory. A set removes
  /// the entry from a tier that may no longer hold it.
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
