public import LarderEngine

/// The configuration of a hybrid cache.
public struct HybridCacheConfiguration: Sendable {
  /// The rules between memory and disk, named here so that an app need not import `LarderEngine`.
  public typealias Rules = HybridRules

  /// A `staleWhileRevalidate` without limit: as long as the cache has the value.
  public static var whileKept: Duration { .seconds(Int64.max) }

  /// The memory tier, or nil for none.
  public var memory: MemoryTier?
  /// The disk tier, or nil for none.
  public var disk: DiskConfiguration?
  /// The rules between the tiers, which are those of the simulator. They have no effect with one
  /// tier.
  public var rules: HybridRules
  /// True to decode a separate value for each read, so that changes of an object do not affect
  /// other readers. Memory then stores encoded values.
  public var copiesOnRead: Bool
  /// Strategy of calls without one.
  public var strategy: CacheStrategy
  /// Time after its expiry during which a value may be returned when the origin fails; nil for
  /// never.
  public var staleIfError: Duration?
  /// Time after its expiry during which `cacheThenFetch` may return a value at once while it is
  /// refreshed; by default `whileKept`. With nil or zero it waits for the origin instead.
  ///
  /// An expired entry is kept for this time or `staleIfError`, whichever is longer, and for 30 days
  /// if it has a version, to be revalidated, or if this is `whileKept` and `strategy` is
  /// `cacheThenFetch`. For a get it is a miss, and it may be evicted.
  public var staleWhileRevalidate: Duration?
  /// Time limit of a load; nil for none, and a minute for a refresh in the background. When it has
  /// passed, the load is cancelled and ends with `LoadError.timedOut` or a stale value. A wait
  /// because of `loadsMax` has the same limit, and ends with `LoadError.waitTimedOut`.
  public var loadTimeout: Duration?
  /// Maximum number of loads at the same time: see `MemoryCacheConfiguration.loadsMax`.
  public var loadsMax: Int?
  /// Time for which an absence that the origin reports is remembered in memory, unless the origin
  /// gives one, for up to 10,000 keys; nil for not at all. Requests are answered with `absent`
  /// meanwhile, except with the strategy `fetch`, until the key is set or removed, or memory is
  /// short.
  public var negativeLife: Duration?
  /// Share of memory that is kept under memory pressure. Disk keeps everything.
  public var pressureRule: MemoryPressureRule
  /// Time for which an entry with a version is kept after its expiry for revalidation.
  package var revalidateWithin = Duration.seconds(30 * 86_400)
  /// The suite on disk.
  public var suite: String
  /// The clock. It must continue across restarts, unless there is no disk tier.
  public var clock: any CacheClock

  /// Creates a configuration; by default LRU with 32 MiB in memory and 100 MiB on disk, and memory
  /// emptied under memory pressure.
  public init(
    memory: MemoryTier? = MemoryTier(limits: MemoryCacheLimits(weight: 32 << 20)),
    disk: DiskConfiguration? = DiskConfiguration(), rules: HybridRules = HybridRules(),
    copiesOnRead: Bool = false,
    strategy: CacheStrategy = .cacheElseFetch, staleIfError: Duration? = nil,
    staleWhileRevalidate: Duration? = HybridCacheConfiguration.whileKept,
    pressureRule: MemoryPressureRule = MemoryPressureRule(keptOnWarning: 0, keptWhenCritical: 0),
    suite: String = "", clock: any CacheClock = SystemCacheClock.wall(isExact: false),
    loadTimeout: Duration? = nil, loadsMax: Int? = nil, negativeLife: Duration? = nil
  ) {
    self.memory = memory
    self.disk = disk
    self.rules = rules
    self.copiesOnRead = copiesOnRead
    self.strategy = strategy
    self.staleIfError = staleIfError
    self.staleWhileRevalidate = staleWhileRevalidate
    self.pressureRule = pressureRule
    self.suite = suite
    self.clock = clock
    self.loadTimeout = loadTimeout
    self.loadsMax = loadsMax
    self.negativeLife = negativeLife
  }

  /// Creates a configuration from the limits of both tiers, for a cache whose other settings are
  /// the defaults.
  public init(
    memory: MemoryCacheLimits, disk: DiskLimits, policy: CachePolicy = .lru,
    encryption: DiskEncryption? = nil, strategy: CacheStrategy = .cacheElseFetch,
    staleIfError: Duration? = nil, negativeLife: Duration? = nil
  ) {
    self.init(
      memory: MemoryTier(limits: memory, policy: policy),
      disk: DiskConfiguration(policy: policy, limits: disk, encryption: encryption),
      strategy: strategy, staleIfError: staleIfError, negativeLife: negativeLife)
  }

  var effectiveRules: HybridRules {
    memory == nil || disk == nil ? HybridRules(promotion: .never) : rules
  }

  var grace: Grace {
    var whileRevalidating = staleWhileRevalidate ?? .zero
    if whileRevalidating >= Self.whileKept {
      whileRevalidating = strategy == .cacheThenFetch ? revalidateWithin : .zero
    }
    let others = max(whileRevalidating, staleIfError ?? .zero).microseconds
    return Grace(versioned: max(others, revalidateWithin.microseconds), others: others)
  }

  private func checkDurations() throws(HybridCacheError) {
    let durations = [
      ("staleIfError", staleIfError), ("staleWhileRevalidate", staleWhileRevalidate),
      ("loadTimeout", loadTimeout), ("negativeLife", negativeLife),
    ]
    for (name, duration) in durations {
      guard let duration, duration < .zero else { continue }
      throw .configuration(message: "\(name) is \(duration); expected zero or more")
    }
  }

  func check() throws(HybridCacheError) {
    try checkDurations()
    if let loadsMax, loadsMax < 1 {
      throw .configuration(
        message: "loadsMax is \(loadsMax); expected at least 1, or nil for no limit")
    }
    if memory == nil, disk == nil {
      throw .configuration(message: "a hybrid cache needs memory, disk or both")
    }
    do throws(MemoryCacheError) {
      try pressureRule.check()
      if let memory = memory?.configuration { try memory.check(shards: memory.shardCount()) }
    } catch {
      throw .memory(error)
    }
    if memory?.expireAfterAccess != nil, effectiveRules.inclusion == .exclusive {
      throw .configuration(
        message: "expireAfterAccess of the memory tier needs inclusive rules; with exclusive rules "
          + "memory has the only copy")
    }
    if let placement = rules.placement,
      placement.memoryOnlyBelowSeconds > placement.diskOnlyFromSeconds
    {
      throw .configuration(
        message: "placement.memoryOnlyBelowSeconds is \(placement.memoryOnlyBelowSeconds); "
          + "expected at most diskOnlyFromSeconds, \(placement.diskOnlyFromSeconds)")
    }
  }
}

extension HybridRules.Placement {
  /// Creates limits from durations, in whole seconds: a part of a second counts as a whole one,
  /// less than none as 0, and more than 2^32 - 1 as that.
  ///
  /// - Parameters:
  ///   - memoryOnlyBelow: An entry with a shorter lifetime is not stored on disk.
  ///   - diskOnlyFrom: An entry with at least this lifetime, or an unlimited one, is not stored in
  ///     memory, unless its lifetime is below `memoryOnlyBelow`.
  public init(memoryOnlyBelow: Duration, diskOnlyFrom: Duration) {
    self.init(
      memoryOnlyBelowSeconds: Self.seconds(memoryOnlyBelow),
      diskOnlyFromSeconds: Self.seconds(diskOnlyFrom))
  }

  private static func seconds(_ duration: Duration) -> UInt32 {
    guard duration > .zero else { return 0 }
    // Clamped before the conversion: a duration may have more seconds than `components` can hold.
    guard duration < .seconds(Int64(UInt32.max)) else { return .max }
    let (seconds, rest) = duration.components
    return UInt32(seconds) + (rest > 0 ? 1 : 0)
  }
}

/// Error of a hybrid cache.
public enum HybridCacheError: Error, Sendable, CustomStringConvertible {
  /// The memory tier cannot be created as configured.
  case memory(MemoryCacheError)
  /// The disk tier failed. The memory tier has done its part.
  case disk(DiskCacheError)
  /// A value could not be encoded; the message is the codec's. Nothing has changed.
  case codec(message: String)
  /// The configuration contradicts itself.
  case configuration(message: String)
  /// The origin responded "not modified" to a request without a version.
  case notModifiedUnasked(key: String)
  /// Another hybrid cache uses the suite of this disk cache. They would not see each other's
  /// changes in memory.
  case suiteInUse(suite: String)
  /// The cache, which has no disk tier, was closed.
  case closed
  /// A codec, a clock, `weigh` or a key called the cache that uses it.
  case calledFromWithin

  /// Calls the disk tier, with its error as one of the cache.
  static func disk<Result>(
    _ body: () throws(DiskCacheError) -> Result
  ) throws(HybridCacheError) -> Result {
    do throws(DiskCacheError) { return try body() } catch { throw .disk(error) }
  }

  /// The error in one line of text.
  public var description: String {
    switch self {
    case .memory(let error): error.description
    case .disk(let error): error.description
    case .codec(let message): message
    case .configuration(let message): message
    case .notModifiedUnasked(let key):
      "\(key.debugDescription): the origin returned 'not modified', but the cache has no value"
    case .suiteInUse(let suite):
      "suite '\(suite)': in use by another hybrid cache; "
        + "share that cache, close it, or use another suite"
    case .closed: "the cache is closed"
    case .calledFromWithin:
      "codec, clock, weigh or a key calls the cache that uses it; call it elsewhere"
    }
  }
}
