/// What a memory cache holds and what has happened in it since it was made or its statistics were
/// reset.
public struct MemoryCacheStatistics: Sendable, Hashable, Codable {
  /// Gets answered.
  public var hits: UInt64 = 0
  /// Gets not answered, those of expired entries included.
  public var misses: UInt64 = 0
  /// Sets, those refused included.
  public var sets: UInt64 = 0
  /// Values stored under a key that had none.
  public var admissions: UInt64 = 0
  /// Values refused: they weigh more than a shard's part of the limit, or the policy does not want
  /// them.
  public var rejections: UInt64 = 0
  /// Entries that the policy gave up for want of room.
  public var evictions: UInt64 = 0
  /// Entries that a get or a sweep found expired. (One that a set finds expired is replaced and
  /// does not count, and neither does one that is evicted first. One that a hybrid cache keeps
  /// counts with each get.)
  public var expirations: UInt64 = 0
  /// Entries removed by key or by `removeAll`.
  public var removals: UInt64 = 0
  /// Entries given up to a trim.
  public var trimmed: UInt64 = 0
  /// Entries given up to memory pressure.
  public var pressure: UInt64 = 0
  /// Entries held now; those that have expired and were not found yet are among them.
  public var count: Int = 0
  /// Sum of the weights of these; their number where weights are not kept.
  public var weight: UInt64 = 0
  /// Events that readers of event streams did not get, because they were slower than the cache,
  /// since it was made.
  public var droppedEvents: UInt64 = 0

  /// Nothing has happened yet.
  public init() {}

  /// Gets.
  public var requests: UInt64 { hits + misses }
  /// Hits divided by requests, or nil when there were none.
  public var hitRatio: Double? {
    requests == 0 ? nil : Double(hits) / Double(requests)
  }
}
