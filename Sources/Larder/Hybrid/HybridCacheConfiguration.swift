public import LarderEngine

/// The configuration of a hybrid cache.
public struct HybridCacheConfiguration: Sendable {
  /// The rules between memory and disk, named here so that an app need not import `LarderEngine`.
  public typealias Rules = HybridRules

  /// A `staleWhileRevalidate` without an end: as long as the cache has the value.
  public static var whileKept: Duration { .seconds(Int64.max) }

  /// The memory tier, or nil for none. Its clock and pressure rule are those below. With a limit on
  /// weight, which is then one in bytes, an entry weighs its encoded size and what memory keeps
  /// beside it: about 100 bytes, and the allocations that key and metadata take.
  public var memory: MemoryCacheConfiguration?
  /// The disk tier, or nil for none.
  public var disk: DiskConfiguration?
  /// The rules between the tiers, which are those of the simulator. They have no effect with one
  /// tier.
  public var rules: HybridRules
  /// When stored values are written to disk.
  public var writes: HybridWrites
  /// Whether each read decodes a separate value, so that changes that one reader makes to an object
  /// do not affect another. Memory then stores encoded values.
  public var copiesOnRead: Bool
  /// The strategy of calls that do not name one.
  public var strategy: CacheStrategy
  /// How long after its expiry a value may be returned when the origin fails; nil for never. With
  /// zero, only values that have not expired are; negative durations are refused.
  public var staleIfError: Duration?
  /// How long after its expiry `cacheThenFetch` may return a value at once while it is refreshed;
  /// by default `whileKept`. With nil or zero it waits for the origin instead.
  public var staleWhileRevalidate: Duration?
  /// How long an entry with a version is kept after its expiry for revalidation. Entries without a
  /// version are kept for `staleIfError` or `staleWhileRevalidate`, whichever is longer; if the
  /// latter is `whileKept` and `strategy` is `cacheThenFetch`, for this long. A kept entry occupies
  /// space like any other and may be evicted; for a get it is a miss.
  public var revalidateWithin: Duration
  /// How long a refresh behind an answer may take; nil for no limit. It is then cancelled: requests
  /// that have come to wait for it, because the value has expired meanwhile, get
  /// `HybridCacheError.refreshTimedOut` or a stale value, and the next request asks the origin
  /// anew. A request's own fetch has no limit.
  public var refreshTimeout: Duration?
  /// How much memory keeps under memory pressure. Disk keeps everything.
  public var pressureRule: MemoryPressureRule
  /// The suite on disk.
  public var suite: String
  /// The clock. It must continue across restarts, unless there is no disk tier.
  public var clock: any CacheClock

  /// A configuration; by default LRU with 32 MiB in memory and 100 MiB on disk, write-through, and
  /// memory emptied under memory pressure.
  public init(
    memory: MemoryCacheConfiguration? = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(weight: 32 << 20)),
    disk: DiskConfiguration? = DiskConfiguration(), rules: HybridRules = HybridRules(),
    writes: HybridWrites = .through, copiesOnRead: Bool = false,
    strategy: CacheStrategy = .cacheElseFetch, staleIfError: Duration? = nil,
    staleWhileRevalidate: Duration? = HybridCacheConfiguration.whileKept,
    revalidateWithin: Duration = .seconds(30 * 86_400),
    pressureRule: MemoryPressureRule = MemoryPressureRule(keptOnWarning: 0, keptWhenCritical: 0),
    suite: String = "", clock: any CacheClock = WallCacheClock(isExact: false),
    refreshTimeout: Duration? = .seconds(60)
  ) {
    self.memory = memory
    self.disk = disk
    self.rules = rules
    self.writes = writes
    self.copiesOnRead = copiesOnRead
    self.strategy = strategy
    self.staleIfError = staleIfError
    self.staleWhileRevalidate = staleWhileRevalidate
    self.revalidateWithin = revalidateWithin
    self.pressureRule = pressureRule
    self.suite = suite
    self.clock = clock
    self.refreshTimeout = refreshTimeout
  }

  /// The rules that decide: with one tier there is nothing to decide.
  var effectiveRules: HybridRules {
    memory == nil || disk == nil ? HybridRules(promotion: .never) : rules
  }

  /// For how long what has expired is kept.
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
    ]
    for (name, duration) in durations {
      guard let duration, duration < .zero else { continue }
      throw .configuration(message: "\(name) is \(duration); expected zero or more")
    }
  }

  /// What is wrong with it beside what disk and the policies find out.
  func check() throws(HybridCacheError) {
    try checkDurations()
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
    guard case .back(let count, let interval) = writes else { return }
    if memory == nil || disk == nil {
      throw .configuration(message: "write-back needs memory and disk")
    }
    if rules.inclusion == .exclusive {
      throw .configuration(
        message: "write-back needs inclusive rules; exclusive rules write evicted entries")
    }
    if count < 1 {
      throw .configuration(
        message: "write-back with at most \(count) waiting entries; expected at least 1")
    }
    if let interval, interval < .zero {
      throw .configuration(
        message: "write-back with an interval of \(interval); expected zero or more, or nil")
    }
  }
}
