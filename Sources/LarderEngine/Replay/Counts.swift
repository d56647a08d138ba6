/// What happened in a run. A pure function of workload, configuration and seed.
///
/// `requests` are gets; sets and deletes are counted apart. Everything is counted from the end of
/// the warm-up on.
public struct Counts: Sendable, Hashable, Codable {
  /// Gets.
  public var requests: UInt64 = 0
  /// Gets answered from memory. A memory-only configuration has all its hits here.
  public var memoryHits: UInt64 = 0
  /// Gets answered from disk.
  public var diskHits: UInt64 = 0
  /// Sum of the sizes of all gets as the trace has them: the same for every cell.
  public var bytesRequested: UInt64 = 0
  /// Sum of the sizes of the gets that memory answered, as the trace has them.
  public var memoryBytesHit: UInt64 = 0
  /// Sum of the sizes of the gets that disk answered, as the trace has them.
  public var diskBytesHit: UInt64 = 0
  /// Hits whose stored copy was older than the origin's.
  public var staleHits: UInt64 = 0
  /// Sets.
  public var sets: UInt64 = 0
  /// Deletes.
  public var deletes: UInt64 = 0
  /// Copies made from disk to memory after a disk hit.
  public var promotions: UInt64 = 0
  /// Objects moved from memory to disk when memory gave them up.
  public var demotions: UInt64 = 0
  /// What happened in memory.
  public var memory = TierCounts()
  /// What happened on disk.
  public var disk = TierCounts()

  /// What fetching costs; nil where the trace has no costs.
  public var cost: CostCounts?
  /// What fetches take; nil in a simulation without time.
  public var time: TimeCounts?

  /// Nothing has happened yet.
  public init() {}

  /// Gets answered from any tier.
  public var hits: UInt64 { memoryHits + diskHits }
  /// Gets that had to go to the origin.
  public var misses: UInt64 { requests - hits }
  /// Sum of the sizes of all hits.
  public var bytesHit: UInt64 { memoryBytesHit + diskBytesHit }
  /// Objects stored, all tiers.
  public var admissions: UInt64 { memory.admissions + disk.admissions }
  /// Objects refused, all tiers.
  public var rejections: UInt64 { memory.rejections + disk.rejections }
  /// Objects given up for want of room, all tiers.
  public var evictions: UInt64 { memory.evictions + disk.evictions }
  /// Entries found expired, all tiers.
  public var expirations: UInt64 { memory.expirations + disk.expirations }

  /// Hits divided by requests, or nil when there were none.
  public var hitRatio: Double? {
    requests == 0 ? nil : Double(hits) / Double(requests)
  }
  /// Bytes hit divided by bytes requested, or nil when none were.
  public var byteHitRatio: Double? {
    bytesRequested == 0 ? nil : Double(bytesHit) / Double(bytesRequested)
  }
}

/// What requests would cost at the origin, in the unit of the trace's costs: milliseconds in a log.
public struct CostCounts: Sendable, Hashable, Codable {
  /// Sum of the costs of all gets: what they would cost without a cache.
  public var requested: Double
  /// Sum of the costs of the gets that were hits: what the cache saved.
  public var saved: Double

  /// Sums of costs.
  @inlinable public init(requested: Double, saved: Double) {
    self.requested = requested
    self.saved = saved
  }

  /// What was saved divided by what was requested, or nil when nothing was.
  public var savedRatio: Double? { requested > 0 ? saved / requested : nil }
}

/// What happened in one tier.
public struct TierCounts: Sendable, Hashable, Codable {
  /// Objects stored, replacements not counted.
  public var admissions: UInt64 = 0
  /// Objects not stored: larger than the capacity, or refused by the policy.
  public var rejections: UInt64 = 0
  /// Objects given up by the policy for want of room.
  public var evictions: UInt64 = 0
  /// Entries removed because a request found them expired.
  public var expirations: UInt64 = 0
  /// Bytes stored, replacements included; objects when the capacity counts objects.
  public var bytesWritten: UInt64 = 0
  /// Bytes of values that were copied to recycle segments; nil where values are in no segments.
  public var bytesMoved: UInt64?

  /// Nothing has happened yet.
  public init() {}
}

/// What happened in a simulation with time. A pure function of workload, configuration and seed; in
/// microseconds, or in requests where these are the clock.
public struct TimeCounts: Sendable, Hashable, Codable {
  /// The unit of the times: microseconds of the trace, or requests.
  public var clock: FetchModel.Clock
  /// Gets of an object that was being fetched, which waited for that fetch.
  public var delayedHits: UInt64 = 0
  /// Fetches from the origin.
  public var originFetches: UInt64 = 0
  /// Sum of the waits of all gets; those of hits in memory are 0.
  public var totalLatency: UInt64 = 0
  /// The largest number of fetches that were not complete at the same time, queued ones included.
  public var maxInFlight: UInt64 = 0
  /// The wait that half of the gets do not exceed.
  public var p50Latency: UInt64 = 0
  /// The wait that nine in ten gets do not exceed.
  public var p90Latency: UInt64 = 0
  /// The wait that 99 in 100 gets do not exceed: at place ceil(0.99 n) of n waits in order.
  public var p99Latency: UInt64 = 0

  /// Nothing has happened yet.
  @inlinable public init(clock: FetchModel.Clock = .trace) { self.clock = clock }
}

/// What the gets of a simulated tier add up to.
@usableFromInline struct SimulationTotals {
  @usableFromInline var requests: UInt64 = 0
  @usableFromInline var hits: UInt64 = 0
  @usableFromInline var bytesRequested: UInt64 = 0
  @usableFromInline var bytesHit: UInt64 = 0
  @usableFromInline var staleHits: UInt64 = 0
  @usableFromInline var sets: UInt64 = 0
  @usableFromInline var deletes: UInt64 = 0
  @usableFromInline var costRequested = 0.0
  @usableFromInline var costSaved = 0.0

  @inlinable init() {}

  /// Counts a get.
  @inlinable @inline(__always) mutating func request(_ request: Request) {
    requests += 1
    bytesRequested += UInt64(request.size)
    costRequested += Double(request.cost)
  }

  /// Counts a hit.
  @inlinable @inline(__always) mutating func hit(_ request: Request) {
    hits += 1
    bytesHit += UInt64(request.size)
    costSaved += Double(request.cost)
  }

  /// The counts of a cache whose only tier counted `tier`.
  @inlinable func counts(of tier: TierCounts, isDisk: Bool, hasCosts: Bool) -> Counts {
    var counts = Counts()
    counts.requests = requests
    counts.bytesRequested = bytesRequested
    counts.staleHits = staleHits
    counts.sets = sets
    counts.deletes = deletes
    if hasCosts { counts.cost = CostCounts(requested: costRequested, saved: costSaved) }
    if isDisk {
      counts.diskHits = hits
      counts.diskBytesHit = bytesHit
      counts.disk = tier
    } else {
      counts.memoryHits = hits
      counts.memoryBytesHit = bytesHit
      counts.memory = tier
    }
    return counts
  }
}

/// The sizes of the gets counted, by where they were answered: what an access time is modelled on.
public struct OutcomeSizes: Sendable, Hashable {
  /// Stored sizes of hits in memory.
  public var memoryHits = SizeHistogram()
  /// Stored sizes of hits on disk.
  public var diskHits = SizeHistogram()
  /// Sizes fetched from the origin.
  public var misses = SizeHistogram()

  /// What fetching took where the trace says so, in microseconds in place of bytes.
  public var originTimes = SizeHistogram()

  /// Nothing has happened yet.
  public init() {}

  /// Adds all that `other` counted.
  public mutating func merge(_ other: OutcomeSizes) {
    memoryHits.merge(other.memoryHits)
    diskHits.merge(other.diskHits)
    misses.merge(other.misses)
    originTimes.merge(other.originTimes)
  }

  /// Counts what the fetch of a miss took: its cost, taken as milliseconds, rounded to a
  /// microsecond and at most 71 minutes.
  public mutating func addOriginTime(milliseconds: Float) {
    let microseconds = (milliseconds * 1000).rounded()
    guard microseconds > 0 else { return originTimes.add(bytes: 0) }
    originTimes.add(bytes: UInt32(exactly: microseconds) ?? .max)
  }
}

/// How many objects of which size: buckets of at most an eighth of an octave, each with the exact
/// sum of what fell into it.
///
/// Sizes below 16 have a bucket each, so does every eighth of an octave above. 240 buckets cover
/// all of `UInt32`, in under 4 KiB.
public struct SizeHistogram: Sendable, Hashable {
  /// Sizes that fell into each bucket.
  public private(set) var counts: [UInt64]
  /// Their sum, bytes.
  public private(set) var sums: [UInt64]

  /// Number of buckets.
  public static var buckets: Int { 240 }

  /// Nothing has been added yet.
  public init() {
    counts = Array(repeating: 0, count: SizeHistogram.buckets)
    sums = counts
  }

  /// The bucket that `bytes` falls into: the position of the first bit and the three after it.
  @inline(__always) public static func bucket(of bytes: UInt32) -> Int {
    if bytes < 8 { return Int(bytes) }
    let shift = 28 &- bytes.leadingZeroBitCount
    return shift &* 8 &+ Int(truncatingIfNeeded: bytes &>> UInt32(truncatingIfNeeded: shift))
  }

  /// Counts one size.
  @inline(__always) public mutating func add(bytes: UInt32) {
    let bucket = SizeHistogram.bucket(of: bytes)
    counts[bucket] &+= 1
    sums[bucket] &+= UInt64(bytes)
  }

  /// Adds all that `other` counted.
  public mutating func merge(_ other: SizeHistogram) {
    for bucket in counts.indices {
      counts[bucket] &+= other.counts[bucket]
      sums[bucket] &+= other.sums[bucket]
    }
  }

  /// Sizes counted. Adds up all buckets.
  public var count: UInt64 { counts.reduce(0, &+) }

  /// Their sum, bytes. Adds up all buckets.
  public var bytes: UInt64 { sums.reduce(0, &+) }
}
