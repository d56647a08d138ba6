/// What a hybrid cache has done, by tier and by reason.
public struct HybridStatistics: Sendable, Hashable, Codable {
  /// What memory holds and has done; nil without it.
  public var memory: MemoryCacheStatistics?
  /// What disk has done; nil without it. Its misses are gets that neither tier could answer.
  public var disk: DiskStatistics?
  /// Values copied or moved from disk to memory.
  public var promotions: UInt64 = 0
  /// Values moved from memory to disk.
  public var demotions: UInt64 = 0
  /// Times that the origin was asked.
  public var fetches: UInt64 = 0
  /// Requests that waited for a fetch that was under way.
  public var joined: UInt64 = 0
  /// Fetches that the origin answered with "not modified".
  public var notModified: UInt64 = 0
  /// Fetches that were not stored, because their key was set or removed meanwhile.
  public var overtaken: UInt64 = 0
  /// Fetches that failed.
  public var fetchFailures: UInt64 = 0
  /// Those of them that were refreshes behind an answer.
  public var backgroundFailures: UInt64 = 0
  /// Fetches that were cancelled; they are not failures.
  public var cancelledFetches: UInt64 = 0
  /// Requests that got a value of the cache because the origin failed.
  public var staleAnswers: UInt64 = 0
  /// Requests that got an expired value of the cache while it was being refreshed.
  public var staleHits: UInt64 = 0
  /// Entries that wait to be written to disk.
  public var waitingWrites: Int = 0
  /// Entries that disk refused by an error when they were written later.
  public var lostWrites: UInt64 = 0
  /// Events that listeners did not get, because they were slower than the cache.
  public var droppedEvents: UInt64 = 0

  /// Nothing has happened yet.
  public init() {}
}
