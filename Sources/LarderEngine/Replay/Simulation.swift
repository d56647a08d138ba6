/// A cache under simulation, stepped through the requests of a trace.
///
/// # What one request does
///
/// **Single tier, get.** An entry that is resident and whose expiry is at or before the request's
/// time is removed and counts in `expirations`; the request goes on as a miss. A resident entry is
/// a hit. A miss is fetched and stored: see *storing*.
///
/// **Set.** Resident (and not expired: an expired entry is first removed, without being counted):
/// the value is replaced, the expiry renewed, and when the new size does not fit the policy evicts
/// until it does, which may hit the object itself. Replaced by something larger than the capacity:
/// removed, and a rejection. Not resident: *storing*. **Delete.** Removed where it is resident.
/// **Modify.** The origin has a new version; caches are not told, so hits on copies stored before
/// count as hits and also as `staleHits`, until the copy is replaced or stored again.
///
/// **Costs.** What fetching an object costs is said when it is stored, and kept with the copy: a
/// hit, a promotion and a demotion have the cost of the copy, since nobody fetches then.
///
/// **Storing** an object in a tier: larger than the capacity, or not admitted by the policy: a
/// rejection. Otherwise evict until there are fewer objects than the tier's limit on them, where it
/// has one, and until the object fits; then insert: an admission. Its expiry is the request's
/// time plus the smaller of the request's and the tier's time to live.
///
/// **Hybrid, get.** Memory is asked first, then disk, each with expiry as above. Memory's policy
/// sees only what memory is asked, disk's only what memory could not answer (one that knows the
/// future is told of it all the same). A miss is stored, when inclusive, on disk and then in
/// memory; when exclusive, in memory, or on disk if memory rejects it. A disk hit that the
/// promotion rule lets pass is stored in memory with the copy's size, version and expiry (memory's
/// own time to live, when shorter, counts from now); when exclusive and not rejected there, it
/// first leaves disk. What memory evicts is stored on disk when exclusive (a demotion, keeping
/// size, version and expiry; what has already expired is dropped). A demotion and a promotion are
/// also admissions of the tier they enter.
///
/// **Hybrid, set.** Inclusive: like a single tier's set on disk, then on memory. Exclusive: removed
/// from disk, then a set in memory, or on disk if memory rejects it. **Delete**: from both.
public protocol Simulation: AnyObject {
  /// What has happened since the start or the last `resetCounts`.
  var counts: Counts { get }

  /// Position of the next request.
  var position: Int { get }

  /// Sizes in bytes of what each tier served, when the setup asks for them.
  var outcomes: OutcomeSizes? { get }

  /// Memory held for the simulation beside the trace's columns, in bytes.
  var stateBytes: Int { get }

  /// Replays requests up to but not including `end`, which is at most the number of requests. With
  /// `untilFirstEviction` it stops after the first request in which a tier (for a hybrid: disk)
  /// evicted, and returns true.
  @discardableResult func run(upTo end: Int, untilFirstEviction: Bool) -> Bool

  /// Sets all counts to zero and keeps the cache's content: the end of a warm-up.
  func resetCounts()
}

/// One tier of a simulated or real cache.
public struct TierSetup: Sendable, Hashable {
  /// The policy with its parameters.
  public var policy: PolicySpec
  /// How much the tier holds, in the simulation's unit. From 1 to `PolicySetup.capacityMax`.
  public var capacity: UInt64
  /// Time to live of entries whose request has none, and the longest of those that have one;
  /// seconds, nil for no limit.
  public var timeToLiveSeconds: UInt32?
  /// At most how many objects are resident, beside the capacity; at least 1, nil for no limit.
  /// Where the capacity counts objects the lower of the two is the capacity that policy and filter
  /// know; where it counts bytes they know nothing of this limit.
  public var objectsMax: UInt64?
  /// The admission filter with its parameters; nil to store everything that the policy admits.
  public var admission: PolicySpec?

  /// A tier; see the properties for the meaning of each part.
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

/// How many tiers there are and what passes between them.
public enum Arrangement: Sendable, Hashable {
  /// One tier, whose hits count as memory's.
  case memory(TierSetup)
  /// One tier, whose hits count as disk's.
  case disk(TierSetup)
  /// Memory in front of disk.
  case hybrid(memory: TierSetup, disk: TierSetup, rules: HybridRules)
}

/// What passes between the tiers of a hybrid. The real cache and the simulator share these rules.
public struct HybridRules: Sendable, Hashable, Codable {
  /// Which tiers hold an object.
  public enum Inclusion: String, Sendable, Hashable, Codable, CaseIterable {
    /// Write-through: an object fetched from the origin is stored in both tiers, and each tier
    /// evicts on its own.
    case inclusive
    /// An object is in one tier at most: it enters memory, moves to disk when memory evicts it,
    /// and moves back when it is promoted.
    case exclusive
  }

  /// When a disk hit brings an object into memory.
  public enum Promotion: String, Sendable, Hashable, Codable, CaseIterable {
    /// On every disk hit.
    case always
    /// On the second disk hit since the object was stored on disk or last promoted, and on every
    /// second one after that.
    case secondHit = "second-hit"
    /// Never: memory is filled from the origin alone.
    case never
  }

  /// Which tiers may take an entry, by the life that it has left when it would be stored there:
  /// what is soon over is not worth a write to disk, and what lasts long does not take memory.
  ///
  /// It is asked wherever something is stored: an entry from the origin or of a set with the life
  /// that disk would give it, a promotion with what is left of the copy on disk, a demotion with
  /// what is left of the copy in memory. A set takes the entry out of a tier that may not have it
  /// any more.
  public struct Placement: Sendable, Hashable, Codable {
    /// With less life than this an entry is not stored on disk. Seconds.
    public var memoryOnlyBelowSeconds: UInt32
    /// With this much life, or no end of it, an entry is not stored in memory, unless it has less
    /// than `memoryOnlyBelowSeconds`. Seconds.
    public var diskOnlyFromSeconds: UInt32

    /// Borders; by default five minutes and one hour.
    public init(memoryOnlyBelowSeconds: UInt32 = 300, diskOnlyFromSeconds: UInt32 = 3600) {
      self.memoryOnlyBelowSeconds = memoryOnlyBelowSeconds
      self.diskOnlyFromSeconds = diskOnlyFromSeconds
    }
  }

  /// Which tiers hold an object.
  public var inclusion: Inclusion
  /// When a disk hit brings an object into memory.
  public var promotion: Promotion
  /// Which tiers may take an entry by the life that it has left, or nil for both whatever its life.
  public var placement: Placement?

  /// Rules; by default write-through with promotion on every disk hit, and no regard to lifetimes.
  public init(
    inclusion: Inclusion = .inclusive, promotion: Promotion = .always,
    placement: Placement? = nil
  ) {
    self.inclusion = inclusion
    self.promotion = promotion
    self.placement = placement
  }
}

/// One simulation: what `RequestColumns` are replayed through.
public struct SimulationSetup: Sendable, Hashable {
  /// The tiers.
  public var arrangement: Arrangement
  /// What capacities count. With `.objects` the trace's sizes are ignored: every object weighs 1,
  /// and bytes in the counts are objects.
  public var unit: CapacityUnit
  /// Seed of random policies.
  public var seed: UInt64
  /// Whether to keep histograms of the sizes that each tier served, for a latency model.
  public var recordsOutcomes: Bool
  /// What fetches take; nil for a simulation without time.
  public var time: FetchModel?
  /// The segments of one tier on disk whose capacity counts bytes; nil where each value is written
  /// once.
  public var segments: SegmentSetup?

  /// A setup; see the properties for the meaning of each part.
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

/// Reads requests from columns of which some may be missing.
@usableFromInline struct RequestReader {
  @usableFromInline let columns: RequestColumns
  @usableFromInline let countsBytes: Bool

  /// A reader whose requests have sizes in `unit`.
  @inlinable init(_ columns: RequestColumns, unit: CapacityUnit) {
    self.columns = columns
    countsBytes = unit == .bytes
  }

  /// The operation, the time in microseconds and the time to live in seconds.
  @inlinable @inline(__always) func context(at index: Int) -> (Operation, now: UInt64, ttl: UInt32)
  {
    var operation = Operation.get
    if let raw = columns.operations?[index] { operation = Operation(rawValue: raw) ?? .get }
    return (operation, columns.times?[index] ?? 0, columns.ttls?[index] ?? 0)
  }

  /// The request, without an expiry.
  @inlinable @inline(__always) func request(at index: Int) -> Request {
    Request(
      id: columns.ids[index], size: countsBytes ? bytes(at: index) : 1, index: UInt64(index),
      nextUse: columns.nextUses?[index] ?? Request.never, cost: columns.costs?[index] ?? 1)
  }

  /// The size in bytes; 1 where the trace has none.
  @inlinable @inline(__always) func bytes(at index: Int) -> UInt32 { columns.sizes?[index] ?? 1 }
}
