/// The counts of a run. A pure function of workload, configuration and seed.
///
/// `requests` are gets; sets and deletes are counted separately. Counting starts at the end of the
/// warm-up.
public struct Counts: Sendable, Hashable, Codable {
  /// Gets.
  public var requests: UInt64 = 0
  /// Gets answered from memory. A memory-only configuration has all its hits here.
  public var memoryHits: UInt64 = 0
  /// Gets answered from disk.
  public var diskHits: UInt64 = 0
  /// Sum of the sizes of all gets in the trace: equal for every cell.
  public var bytesRequested: UInt64 = 0
  /// Sum of the sizes in the trace of the gets that memory answered.
  public var memoryBytesHit: UInt64 = 0
  /// Sum of the sizes in the trace of the gets that disk answered.
  public var diskBytesHit: UInt64 = 0
  /// Hits whose stored copy was older than the origin's.
  public var staleHits: UInt64 = 0
  /// Sets.
  public var sets: UInt64 = 0
  /// Deletes.
  public var deletes: UInt64 = 0
  /// Copies made from disk to memory after a disk hit.
  public var promotions: UInt64 = 0
  /// Objects moved from memory to disk when memory evicted them.
  public var demotions: UInt64 = 0
  /// Counts of memory.
  public var memory = TierCounts()
  /// Counts of disk.
  public var disk = TierCounts()

  /// Costs of fetches; nil if the trace has no costs.
  public var cost: CostCounts?
  /// Times of fetches; nil in a simulation without time.
  public var time: TimeCounts?

  /// Creates counts of 0.
  public init() {}

  /// Gets answered from any tier.
  public var hits: UInt64 { memoryHits + diskHits }
  /// Gets that had to go to the origin.
  public var misses: UInt64 { requests - hits }
  /// Sum of the sizes of all hits.
  public var bytesHit: UInt64 { memoryBytesHit + diskBytesHit }
  /// Objects stored, in all tiers.
  public var admissions: UInt64 { memory.admissions + disk.admissions }
  /// Objects rejected, in all tiers.
  public var rejections: UInt64 { memory.rejections + disk.rejections }
  /// Objects evicted, in all tiers.
  public var evictions: UInt64 { memory.evictions + disk.evictions }
  /// Entries found expired, in all tiers.
  public var expirations: UInt64 { memory.expirations + disk.expirations }

  /// Hits divided by requests, or nil without requests.
  public var hitRatio: Double? { requests == 0 ? nil : Double(hits) / Double(requests) }
  /// Hits that are not stale, divided by requests, or nil without requests.
  public var freshHitRatio: Double? {
    requests == 0 ? nil : Double(hits - min(hits, staleHits)) / Double(requests)
  }
  /// Bytes hit divided by bytes requested, or nil without bytes.
  public var byteHitRatio: Double? {
    bytesRequested == 0 ? nil : Double(bytesHit) / Double(bytesRequested)
  }
}

/// The costs of requests at the origin, in the unit of the trace's costs: milliseconds in a log.
public struct CostCounts: Sendable, Hashable, Codable {
  /// Sum of the costs of all gets: the cost without a cache.
  public var requested: Double
  /// Sum of the costs of the gets that were hits: the cost saved by the cache.
  public var saved: Double

  /// Creates sums of costs.
  @inlinable public init(requested: Double, saved: Double) {
    self.requested = requested
    self.saved = saved
  }

  /// The saved cost divided by the requested cost, or nil if that is 0.
  public var savedRatio: Double? { requested > 0 ? saved / requested : nil }
}

/// The counts of one tier.
public struct TierCounts: Sendable, Hashable, Codable {
  /// Objects stored, excluding replacements.
  public var admissions: UInt64 = 0
  /// Objects not stored: larger than the capacity, or rejected by filter or policy.
  public var rejections: UInt64 = 0
  /// Objects evicted by the policy to make room.
  public var evictions: UInt64 = 0
  /// Entries removed because a request found them expired.
  public var expirations: UInt64 = 0
  /// Bytes stored, including replacements; objects if the capacity counts objects.
  public var bytesWritten: UInt64 = 0
  /// Bytes of values that were copied to recycle segments; nil without segments.
  public var bytesMoved: UInt64?

  /// Creates counts of 0.
  public init() {}
}

/// The times of a simulation with time. A pure function of workload, configuration and seed; in
/// microseconds, or in requests if these are the clock.
public struct TimeCounts: Sendable, Hashable, Codable {
  /// The unit of the times: microseconds of the trace, or requests.
  public var clock: FetchModel.Clock
  /// Gets of an object in flight, which waited for its fetch.
  public var delayedHits: UInt64 = 0
  /// Fetches from the origin.
  public var originFetches: UInt64 = 0
  /// Sum of the waits of all gets; hits in memory wait 0.
  public var totalLatency: UInt64 = 0
  /// The largest number of incomplete fetches at the same time, including queued ones.
  public var maxInFlight: UInt64 = 0
  /// The wait that half of the gets do not exceed.
  public var p50Latency: UInt64 = 0
  /// The wait that nine in ten gets do not exceed.
  public var p90Latency: UInt64 = 0
  /// The wait that 99 in 100 gets do not exceed: number ceil(0.99 n) of n waits in ascending order.
  public var p99Latency: UInt64 = 0

  /// Creates times of 0.
  @inlinable public init(clock: FetchModel.Clock = .trace) { self.clock = clock }
}

/// The totals of the requests of a simulation; hits of the only tier count as memory's.
@usableFromInline struct SimulationTotals {
  @usableFromInline var counts = Counts()
  @usableFromInline var cost = CostCounts(requested: 0, saved: 0)

  @inlinable init() {}

  @inlinable @inline(__always) mutating func request(_ request: Request) {
    counts.requests += 1
    counts.bytesRequested += UInt64(request.size)
    cost.requested += Double(request.cost)
  }

  @inlinable @inline(__always) mutating func hit(_ request: Request, isStale: Bool) {
    counts.memoryHits += 1
    counts.memoryBytesHit += UInt64(request.size)
    cost.saved += Double(request.cost)
    if isStale { counts.staleHits += 1 }
  }

  mutating func diskHit(_ request: Request, isStale: Bool) {
    counts.diskHits += 1
    counts.diskBytesHit += UInt64(request.size)
    cost.saved += Double(request.cost)
    if isStale { counts.staleHits += 1 }
  }

  @usableFromInline func counts(of tier: TierCounts, isDisk: Bool, hasCosts: Bool) -> Counts {
    var counts = counts(
      memory: isDisk ? TierCounts() : tier, disk: isDisk ? tier : TierCounts(), hasCosts: hasCosts)
    if isDisk {
      (counts.memoryHits, counts.diskHits) = (counts.diskHits, counts.memoryHits)
      (counts.memoryBytesHit, counts.diskBytesHit) = (counts.diskBytesHit, counts.memoryBytesHit)
    }
    return counts
  }

  func counts(memory: TierCounts, disk: TierCounts, hasCosts: Bool) -> Counts {
    var counts = counts
    (counts.memory, counts.disk) = (memory, disk)
    counts.cost = hasCosts ? cost : nil
    return counts
  }
}

/// The sizes of the counted gets, by the tier that answered: the input of a latency model.
public struct OutcomeSizes: Sendable, Hashable {
  /// Stored sizes of hits in memory.
  public var memoryHits = SizeHistogram()
  /// Stored sizes of hits on disk.
  public var diskHits = SizeHistogram()
  /// Sizes fetched from the origin.
  public var misses = SizeHistogram()

  /// Latencies of fetches, if the trace has them, in microseconds in place of bytes.
  public var originTimes = SizeHistogram()

  /// Creates empty histograms.
  public init() {}

  /// Counts the latency of a miss: its cost, rounded to a microsecond, at most 71 minutes.
  public mutating func addOriginTime(milliseconds: Float) {
    let microseconds = (milliseconds * 1000).rounded()
    guard microseconds > 0 else { return originTimes.add(bytes: 0) }
    originTimes.add(bytes: UInt32(exactly: microseconds) ?? .max)
  }
}

/// A histogram of sizes in eighths of an octave, with the exact sum of each bucket.
public struct SizeHistogram: Sendable, Hashable {
  /// The number of sizes in each bucket.
  public private(set) var counts: [UInt64]
  /// The sum of the sizes in each bucket, in bytes.
  public private(set) var sums: [UInt64]

  /// Number of buckets.
  public static var buckets: Int { 240 }

  /// Creates an empty histogram.
  public init() {
    counts = Array(repeating: 0, count: SizeHistogram.buckets)
    sums = counts
  }

  /// The bucket of `bytes`: the position of the first bit and the three after it.
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

  /// The number of sizes. Adds up all buckets.
  public var count: UInt64 { counts.reduce(0, &+) }

  /// The sum of all sizes, in bytes. Adds up all buckets.
  public var bytes: UInt64 { sums.reduce(0, &+) }
}
