public import LarderEngine

/// The configuration of a hybrid cache.
public struct HybridCacheConfiguration: Sendable {
  /// The rules between memory and disk, named here so that an app need not import `LarderEngine`.
  public typealias Rules = HybridRules

  /// A `staleWhileRevalidate` without limit: as long as the cache has the value.
  public static var whileKept: Duration { .seconds(Int64.max) }

  /// The memory tier, or nil for none. Its clock and pressure rule are those below. With a limit on
  /// weight, which is then one in bytes, an entry weighs its encoded size, or the result of the
  /// cache's `weigh`, plus its overhead in memory: about 100 bytes, and the allocations of key and
  /// metadata.
  public var memory: MemoryCacheConfiguration?
  /// The disk tier, or nil for none.
  public var disk: DiskConfiguration?
  /// The rules between the tiers, which are those of the simulator. They have no effect with one
  /// tier.
  public var rules: HybridRules
  /// True to decode a separate value for each read, so that a reader's changes to an object do not
  /// affect others. Memory then stores encoded values.
  public var copiesOnRead: Bool
  /// Strategy of calls without one.
  public var strategy: CacheStrategy
  /// Time after its expiry during which a value may be returned when the origin fails; nil for
  /// never. With zero, only values that have not expired are returned; negative durations are
  /// rejected.
  public var staleIfError: Duration?
  /// Time after its expiry during which `cacheThenFetch` may return a value at once while it is
  /// refreshed; by default `whileKept`. With nil or zero it waits for the origin instead.
  public var staleWhileRevalidate: Duration?
  /// Time for which an entry with a version is kept after its expiry for revalidation. Entries
  /// without a version are kept for `staleIfError` or `staleWhileRevalidate`, whichever is longer;
  /// if the latter is `whileKept` and `strategy` is `cacheThenFetch`, for this long. A kept entry
  /// occupies space like any other and may be evicted; for a get it is a miss.
  public var revalidateWithin: Duration
  /// Time limit of a background refresh; nil for none. When it has passed, the refresh is
  /// cancelled: requests that wait for it, because the value has expired meanwhile, get
  /// `HybridCacheError.refreshTimedOut` or a stale value, and the next request asks the origin
  /// again. A request's own fetch has the limit `fetchTimeout`.
  public var refreshTimeout: Duration?
  /// Time limit of a request's own call of a loader; nil for none. When it has passed, the fetch is
  /// cancelled: waiting requests get `HybridCacheError.fetchTimedOut` or, with `staleIfError`, a
  /// stale value, and the next request asks the origin again. A fetch that waits because of
  /// `fetchesMax` does so for up to this time, and then ends in the same way, with
  /// `HybridCacheError.waitTimedOut`; once it begins, the time counts anew.
  public var fetchTimeout: Duration?
  /// Maximum number of calls of loaders at once, at least 1; nil for no limit. Further fetches wait
  /// in order, and leave the queue when they are cancelled. A call for several keys counts once,
  /// and a call that was cancelled counts until it returns. Fetches that a loader waits for start
  /// at once, because its own fetch would never end otherwise; so loaders of two caches with such
  /// limits must not request keys of each other.
  public var fetchesMax: Int?
  /// Time for which an absence that the origin reports is remembered in memory, unless the origin
  /// gives one with `OriginAnswer.absent(for:)`; nil for not at all. During this time requests are
  /// answered with `absent` without asking the origin, except with the strategy `fetch`. Setting or
  /// removing the key forgets its absence at once, as do `removeAll` and memory pressure. Up to
  /// `MemoryCacheConfiguration.negativeCount` keys are remembered, 10,000 without a memory tier.
  public var negativeLife: Duration?
  /// Share of memory that is kept under memory pressure. Disk keeps everything.
  public var pressureRule: MemoryPressureRule
  /// The suite on disk.
  public var suite: String
  /// The clock. It must continue across restarts, unless there is no disk tier.
  public var clock: any CacheClock

  /// Creates a configuration; by default LRU with 32 MiB in memory and 100 MiB on disk, and memory
  /// emptied under memory pressure.
  public init(
    memory: MemoryCacheConfiguration? = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(weight: 32 << 20)),
    disk: DiskConfiguration? = DiskConfiguration(), rules: HybridRules = HybridRules(),
    copiesOnRead: Bool = false,
    strategy: CacheStrategy = .cacheElseFetch, staleIfError: Duration? = nil,
    staleWhileRevalidate: Duration? = HybridCacheConfiguration.whileKept,
    revalidateWithin: Duration = .seconds(30 * 86_400),
    pressureRule: MemoryPressureRule = MemoryPressureRule(keptOnWarning: 0, keptWhenCritical: 0),
    suite: String = "", clock: any CacheClock = WallCacheClock(isExact: false),
    refreshTimeout: Duration? = .seconds(60), fetchTimeout: Duration? = nil,
    fetchesMax: Int? = nil, negativeLife: Duration? = nil
  ) {
    self.memory = memory
    self.disk = disk
    self.rules = rules
    self.copiesOnRead = copiesOnRead
    self.strategy = strategy
    self.staleIfError = staleIfError
    self.staleWhileRevalidate = staleWhileRevalidate
    self.revalidateWithin = revalidateWithin
    self.pressureRule = pressureRule
    self.suite = suite
    self.clock = clock
    self.refreshTimeout = refreshTimeout
    self.fetchTimeout = fetchTimeout
    self.fetchesMax = fetchesMax
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
      memory: MemoryCacheConfiguration(limits: memory, policy: policy),
      disk: DiskConfiguration(policy: policy, limits: disk, encryption: encryption),
      strategy: strategy, staleIfError: staleIfError, negativeLife: negativeLife)
  }

  /// The rules in effect; with one tier they have nothing to decide.
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
      ("revalidateWithin", revalidateWithin), ("refreshTimeout", refreshTimeout),
      ("fetchTimeout", fetchTimeout), ("negativeLife", negativeLife),
    ]
    for (name, duration) in durations {
      guard let duration, duration < .zero else { continue }
      throw .configuration(message: "\(name) is \(duration); expected zero or more")
    }
  }

  /// Checks for errors that disk and policies do not detect.
  func check() throws(HybridCacheError) {
    try checkDurations()
    if let fetchesMax, fetchesMax < 1 {
      throw .configuration(
        message: "fetchesMax is \(fetchesMax); expected at least 1, or nil for no limit")
    }
    if memory == nil, disk == nil {
      throw .configuration(message: "a hybrid cache needs memory, disk or both")
    }
    do throws(MemoryCacheError) {
      try pressureRule.check()
      if let memory { try memory.check(shards: memory.shardCount()) }
    } catch {
      throw .memory(error)
    }
    if memory?.refreshAfterWrite != nil || memory?.staleWhileRevalidate != nil {
      throw .configuration(
        message: "refreshAfterWrite and staleWhileRevalidate of the memory tier are for "
          + "MemoryCache; use strategy cacheThenFetch and staleWhileRevalidate of the hybrid cache")
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
  /// The cache has no such value, and the origin was not asked or does not have it either.
  case absent(key: String)
  /// The origin responded "not modified" to a request without a version.
  case notModifiedUnasked(key: String)
  /// The loader of a key requested the same key from the cache, and would have waited for itself.
  case loadsItself(key: String)
  /// Another hybrid cache uses the suite of this disk cache. They would not see each other's
  /// changes in memory.
  case suiteInUse(suite: String)
  /// The cache, which has no disk tier, was closed.
  case closed
  /// A codec, a clock, `weigh` or a key called the cache that uses it.
  case calledFromWithin
  /// A refresh of the key took longer than `HybridCacheConfiguration.refreshTimeout`.
  case refreshTimedOut(key: String)
  /// A fetch of the key took longer than `HybridCacheConfiguration.fetchTimeout`.
  case fetchTimedOut(key: String)
  /// A fetch of the key waited because of `HybridCacheConfiguration.fetchesMax` for longer than its
  /// time limit, `fetchTimeout` or `refreshTimeout`; its loader was not called.
  case waitTimedOut(key: String)

  /// The error in one line of text.
  public var description: String {
    switch self {
    case .memory(let error): error.description
    case .disk(let error): error.description
    case .codec(let message): message
    case .configuration(let message): message
    case .absent(let key): "\(key.debugDescription): not found in the cache or at its origin"
    case .notModifiedUnasked(let key):
      "\(key.debugDescription): the origin returned 'not modified', but the cache has no value"
    case .loadsItself(let key):
      "\(key.debugDescription): its loader requests this key and would wait for itself; "
        + "request another key, or use 'entry(for:)'"
    case .suiteInUse(let suite):
      "suite '\(suite)': in use by another hybrid cache; "
        + "share that cache, close it, or use another suite"
    case .closed: "the cache is closed"
    case .calledFromWithin:
      "codec, clock, weigh or a key calls the cache that uses it; call it elsewhere"
    case .refreshTimedOut(let key):
      "\(key.debugDescription): its refresh did not end within refreshTimeout and was cancelled"
    case .fetchTimedOut(let key):
      "\(key.debugDescription): its fetch did not end within fetchTimeout and was cancelled"
    case .waitTimedOut(let key):
      "\(key.debugDescription): its fetch did not begin within its time limit, because fetchesMax "
        + "others were running"
    }
  }
}
