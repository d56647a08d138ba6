import LarderEngine

/// How much a memory cache holds, and for how long. Limits may be given alone or together; an entry
/// is there as long as it meets them all.
///
/// A policy has one capacity. It is `cost` where that is given, and `count` otherwise; a policy
/// that divides its capacity (into a small and a main queue, say) divides that. Where both are
/// given the policy is also asked to evict whenever `count` entries are there and one more is to
/// come. Age plays no part in what the policy evicts, unless it is one that looks at expiry.
///
/// With more than one shard each has an equal part of `count` and `cost`, and nothing is stored
/// that costs more than one shard's part. Unless `MemoryCacheConfiguration.shards` says otherwise
/// that is a quarter of `cost` at least.
///
/// A cache that is made with a limit outside the stated range throws `MemoryCacheError.limit`.
public struct MemoryCacheLimits: Sendable, Hashable {
  /// The largest `count` and `cost`: 2^50, as good as no limit.
  public static var largest: Int { Int(PolicySetup.capacityMax) }

  /// At most so many entries, from 1 for each shard to `largest`; nil for no limit. A shard stops
  /// at 2^27 in any case.
  public var count: Int?
  /// At most this sum of costs, usually bytes, from 1 for each shard to `largest`. Only where it is
  /// given are the costs of entries kept (`largest` keeps them and limits nothing); otherwise each
  /// counts as 1.
  public var cost: Int?
  /// No entry is used for longer than this after it was stored, whatever its own time to live: the
  /// cache's time to live. At least a microsecond.
  public var age: Duration?

  /// Limits; see the properties for the meaning of each.
  public init(count: Int? = nil, cost: Int? = nil, age: Duration? = nil) {
    self.count = count
    self.cost = cost
    self.age = age
  }
}
