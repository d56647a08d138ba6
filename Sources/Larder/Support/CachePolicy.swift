public import LarderEngine

/// An eviction policy, by name and with its parameters.
///
///     MemoryCacheConfiguration(limits: limits, policy: .s3FIFO)
///     MemoryCacheConfiguration(limits: limits, policy: "s3-fifo:small=0.2")
///
/// Names and parameters are those of the command line (`larder list policies`) and of policies that
/// the program has added to the registry. They are checked when a cache is created. Some have a
/// constant; `docs/policies.md` describes each policy.
public struct CachePolicy: Sendable, Hashable, CustomStringConvertible {
  /// Error of a policy or an admission filter, as in `MemoryCacheError.policy`.
  public typealias Fault = PolicyError

  /// Name and given parameters, such as `s3-fifo:small=0.2`.
  public let description: String

  /// Creates a policy from its name, which may be followed by parameters.
  public init(_ text: String) { description = text }
}

extension CachePolicy: ExpressibleByStringLiteral {
  /// Creates a policy from a string literal.
  public init(stringLiteral value: String) { self.init(value) }
}

extension CachePolicy {
  /// Evicts the oldest entry.
  public static let fifo = CachePolicy("fifo")
  /// Evicts the least recently used entry.
  public static let lru = CachePolicy("lru")
  /// Evicts the entry that was used least often since it was stored.
  public static let lfu = CachePolicy("lfu")
  /// FIFO with a hand that skips used entries in place; gets take no lock.
  public static let sieve = CachePolicy("sieve")
  /// Segmented LRU.
  public static let slru = CachePolicy("slru")
  /// Adaptive replacement cache.
  public static let arc = CachePolicy("arc")
  /// Low inter-reference recency set.
  public static let lirs = CachePolicy("lirs")
  /// Three FIFO queues; gets take no lock.
  public static let s3FIFO = CachePolicy("s3-fifo")
  /// Caffeine's policy: an LRU window, a sketch and a segmented LRU.
  public static let wTinyLFU = CachePolicy("w-tinylfu")
  /// Runs the policy that had the most hits of late in miniature simulations of several.
  public static let auto = CachePolicy("auto")
  /// GreedyDual-Size-Frequency: uses times cost by size, with aging.
  public static let gdsf = CachePolicy("gdsf")
  /// Evicts the entry that expires first.
  public static let earliestExpiry = CachePolicy("ttl")
}

extension Float {
  /// The number as a fetch cost for policies: clamped to 0 up to the largest finite number; NaN
  /// becomes 1, the default cost. Never -0, which SQLite would store as 0: the row would not match
  /// its checksum.
  @inlinable @inline(__always) var asFetchCost: Float {
    if self > 0 { return min(self, .greatestFiniteMagnitude) }
    return isNaN ? 1 : 0
  }
}
