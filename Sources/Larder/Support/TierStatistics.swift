public import LarderEngine

/// Contents of a cache, or of a tier of one, and event counts since it was created, opened, or its
/// statistics were reset.
public struct TierStatistics: Sendable, Hashable, Codable {
  /// Gets that returned a value.
  public var hits: UInt64 = 0
  /// Gets that returned no value, including those of expired entries.
  public var misses: UInt64 = 0
  /// Sets, including rejected ones.
  public var sets: UInt64 = 0
  /// Values stored for a key that had none.
  public var admissions: UInt64 = 0
  /// Values not stored: too large, not admitted by the policy, no room on the disk, or in memory a
  /// TTL of zero.
  public var rejections: UInt64 = 0
  /// Entries that the policy evicted to make room.
  public var evictions: UInt64 = 0
  /// Entries that were found expired. (One that a set replaces does not count, nor does one that is
  /// evicted first. One that a hybrid cache keeps in memory counts with each get.)
  public var expirations: UInt64 = 0
  /// Entries removed by key or by `removeAll`.
  public var removals: UInt64 = 0
  /// Entries evicted by a trim.
  public var trims: UInt64 = 0
  /// Entries evicted because of memory pressure, or because the disk was nearly full.
  public var pressure: UInt64 = 0
  /// Entries on disk whose lifetime was renewed without rewriting the value.
  public var renewals: UInt64 = 0
  /// Entries on disk whose value was missing, had the wrong size or failed its checksum, and rows
  /// that failed theirs.
  public var damages: UInt64 = 0
  /// Entries on disk whose bytes were intact but did not decode.
  public var undecodables: UInt64 = 0
  /// Number of times the disk's database was found damaged and the cache started empty.
  public var rebuilds: UInt64 = 0
  /// Bytes of values read from disk.
  public var bytesRead: UInt64 = 0
  /// Bytes of values written to disk.
  public var bytesWritten: UInt64 = 0
  /// Bytes of values copied to recycle segments; not part of `bytesWritten`.
  public var bytesMoved: UInt64 = 0
  /// Entries, including expired ones that were not found yet.
  public var count: Int = 0
  /// Sum of the weights of the entries, their number if a memory cache keeps no weights; on disk
  /// the bytes of their values.
  public var weight: UInt64 = 0
  /// Events lost since the cache was created, because readers of event streams were slower than the
  /// cache.
  public var droppedEvents: UInt64 = 0
  /// Choice of a policy that chooses among others (`auto`); nil for other policies.
  public var policyChoice: PolicyChoice?

  /// Creates statistics that are all zero.
  public init() {}

  /// Number of gets.
  public var requests: UInt64 { hits + misses }
  /// Hits divided by requests, or nil without requests.
  public var hitRatio: Double? { requests == 0 ? nil : Double(hits) / Double(requests) }
}
