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
  @inlinable
  public init(requested: Double, saved: Double) {
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
