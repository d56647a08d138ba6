import LarderEngine

/// Limits on the content of a memory cache. They can be combined; all of them hold at all times.
///
/// A policy has one capacity: `weight` if it is set, otherwise `count`. A policy that divides its
/// capacity (such as into a small and a main queue) divides that one. If both are set, the policy
/// also evicts when `count` entries are resident and another is inserted. Age does not affect which
/// entries the policy evicts, unless the policy uses expiry.
///
/// With several shards, each has an equal part of `count` and `weight`, and an entry that weighs
/// more than the part of one shard is not stored. Unless `MemoryCacheConfiguration.shards` is set,
/// that part is at least a quarter of `weight`.
///
/// Creating a cache with a limit out of range throws `MemoryCacheError.limit`.
public struct MemoryCacheLimits: Sendable, Hashable {
  /// The largest `count` and `weight`: 2^50, effectively no limit.
  public static var largest: Int { Int(PolicySetup.capacityMax) }

  /// Maximum number of entries, from 1 per shard to `largest`; nil for no limit. A shard never
  /// holds more than 2^27.
  public var count: Int?
  /// Maximum sum of weights, from 1 per shard to `largest`. Weights of entries are stored only if
  /// it is set (`largest` stores them without limiting anything); otherwise each counts 1.
  ///
  /// A `MemoryCache` takes weights in any unit as they are given, and 1 for less than 1, so it
  /// never holds more entries than `weight`. To limit bytes, include what the cache needs for an
  /// entry beside the value: 40 to 100 bytes with the key (`MemoryCache.residentBytes` tells), and
  /// what key and value point to. A `HybridCache` limits bytes and includes this by itself.
  public var weight: Int?
  /// Maximum age: the cache's TTL, which applies even to entries with a longer TTL. At least a
  /// microsecond.
  public var age: Duration?

  /// Limits; see the properties for the meaning of each.
  public init(count: Int? = nil, weight: Int? = nil, age: Duration? = nil) {
    self.count = count
    self.weight = weight
    self.age = age
  }
}
