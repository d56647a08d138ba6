public import LarderEngine

/// An eviction policy, by name and with its parameters.
///
///     MemoryCacheConfiguration(limits: limits, policy: .s3FIFO)
///     MemoryCacheConfiguration(limits: limits, policy: .named("s3-fifo:small=0.2"))
///     MemoryCacheConfiguration(limits: limits, policy: "s3-fifo:small=0.2")
///
/// Names and parameters are those of the command line (`larder list policies`) and of policies that
/// the program has added to the registry. They are checked when a cache is created. The constants
/// are listed below; `docs/policies.md` describes each policy.
public struct CachePolicy: Sendable, Hashable, CustomStringConvertible {
  /// Error of a policy or an admission filter, as in `MemoryCacheError.policy`.
  public typealias Fault = PolicyError

  /// Name and given parameters, such as `s3-fifo:small=0.2`.
  public let description: String

  /// Creates a policy from its name, which may be followed by parameters.
  public init(_ text: String) { description = text }

  /// Creates a policy from its name and parameters: `policy: .named("s3-fifo:small=0.2")`.
  public static func named(_ text: String) -> CachePolicy { CachePolicy(text) }
}

extension CachePolicy: ExpressibleByStringLiteral {
  /// Creates a policy from a string literal.
  public init(stringLiteral value: String) { self.init(value) }
}

/// The library's policies for caches, with their default parameters.
extension CachePolicy {
  /// Evicts the oldest entry.
  public static let fifo = CachePolicy("fifo")
  /// Evicts the least recently used entry.
  public static let lru = CachePolicy("lru")
  /// Evicts the entry that was used least often since it was stored.
  public static let lfu = CachePolicy("lfu")
  /// Evicts an entry at random.
  public static let random = CachePolicy("random")
  /// FIFO in which used entries stay for another round.
  public static let clock = CachePolicy("clock")
  /// FIFO with a hand that skips used entries in place; gets take no lock.
  public static let sieve = CachePolicy("sieve")
  /// Segmented LRU.
  public static let slru = CachePolicy("slru")
  /// Multi-queue: LRU queues by number of uses.
  public static let mq = CachePolicy("mq")
  /// Adaptive replacement cache.
  public static let arc = CachePolicy("arc")
  /// ARC with clocks; entries are not moved by hits.
  public static let car = CachePolicy("car")
  /// Low inter-reference recency set.
  public static let lirs = CachePolicy("lirs")
  /// Three FIFO queues; gets take no lock.
  public static let s3FIFO = CachePolicy("s3-fifo")
  /// S3-FIFO with tunable queues.
  public static let s4FIFO = CachePolicy("s4-fifo")
  /// S3-FIFO with CLOCK and a window in which hits do not count.
  public static let clock2QPlus = CachePolicy("clock2q-plus")
  /// Caffeine's policy: an LRU window, a sketch and a segmented LRU.
  public static let wTinyLFU = CachePolicy("w-tinylfu")
  /// Runs the policy that had the most hits of late in miniature simulations of several.
  public static let auto = CachePolicy("auto")
  /// GreedyDual-Size-Frequency: uses times cost by size, with aging.
  public static let gdsf = CachePolicy("gdsf")
  /// Cost with aging.
  public static let greedyDual = CachePolicy("greedydual")
  /// Evicts the entry that expires first.
  public static let earliestExpiry = CachePolicy("ttl")
  /// Cost by size, with aging (GreedyDual-Size).
  public static let greedyDualSize = CachePolicy("cost")
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

#if Simulation
  /// Policies for comparison, the rules of servers last: known with the package trait Simulation.
  extension CachePolicy {
    /// Evicts the most recently used entry, for loops larger than the cache.
    public static let mru = CachePolicy("mru")
    /// LRU weighted by the delay that missing an entry causes, if fetches take time.
    public static let lruMAD = CachePolicy("lru-mad")
    /// Evicts by the expected delay of requests during a fetch, per byte.
    public static let laCache = CachePolicy("la-cache")
    /// LFU with dynamic aging.
    public static let lfuda = CachePolicy("lfuda")
    /// Evicts the lowest rate of uses since storing from a sample.
    public static let hyperbolic = CachePolicy("hyperbolic")
    /// LRU by the k-th last use.
    public static let lruK = CachePolicy("lru-k")
    /// 2Q: a FIFO for new entries, with ghosts, in front of an LRU list.
    public static let twoQ = CachePolicy("2q")
    /// CLOCK-Pro: LIRS's idea with a clock.
    public static let clockPro = CachePolicy("clock-pro")
    /// Quick demotion, lazy promotion: a small FIFO in front of a clock.
    public static let qdLP = CachePolicy("qd-lp")
    /// LRU that admits an entry only if a sketch estimates more uses of it than of the victim.
    public static let tinyLFU = CachePolicy("tinylfu")
    /// pingora's policy: S3-FIFO's queues with a sketch.
    public static let tinyUFO = CachePolicy("tinyufo")
    /// Least hit density, learned from the ages at which entries are used again.
    public static let lhd = CachePolicy("lhd")
    /// LRU and LFU with regret.
    public static let leCaR = CachePolicy("lecar")
    /// Scan-resistant LRU and LFU with regret.
    public static let cacheus = CachePolicy("cacheus")
    /// Redis's approximated LRU (`allkeys-lru`).
    public static let redisLRU = CachePolicy("redis-lru")
    /// Redis's approximated LFU (`allkeys-lfu`).
    public static let redisLFU = CachePolicy("redis-lfu")
    /// The eviction rule of nginx's `proxy_cache`.
    public static let nginx = CachePolicy("nginx")
    /// The eviction rule of Varnish's storages.
    public static let varnish = CachePolicy("varnish")
    /// memcached's segmented LRU with slab classes.
    public static let memcached = CachePolicy("memcached")
  }
#endif
