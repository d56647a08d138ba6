public import LarderEngine

/// Everything that a hybrid cache is made from.
public struct HybridCacheConfiguration: Sendable {
  /// What passes between the tiers.
  public typealias Rules = HybridRules

  /// The tier in front, or nil for none. Its clock and pressure rule are those below. With a limit
  /// on cost an entry's cost is the number of its bytes as encoded.
  public var memory: MemoryCacheConfiguration?
  /// The tier behind, or nil for none.
  public var disk: DiskConfiguration?
  /// What passes between the tiers, the simulator's rules; they play no part where there is one
  /// tier.
  public var rules: HybridRules
  /// When what is stored is written to disk.
  public var writes: HybridWrites
  /// Whether each read has a value of its own, decoded for it, so that what one reader does to an
  /// object that it was given does not reach another. Memory then keeps values encoded.
  public var copiesOnRead: Bool
  /// The strategy where a call names none.
  public var strategy: CacheStrategy
  /// How long after its expiry a value may still stand in for an origin that fails; nil for not at
  /// all. Zero lets only what has not expired stand in; less is refused.
  public var staleIfError: Duration?
  /// How long after its expiry a value may still be what `cacheThenFetch` answers at once, while it
  /// is refreshed; nil for as long as the cache has it, zero for not at all: the origin is then
  /// waited for.
  public var staleWhileRevalidate: Duration?
  /// How long an entry with a version is kept after its expiry, so that its origin can say that it
  /// still holds. Entries without one are kept for `staleIfError` or `staleWhileRevalidate`, the
  /// longer of the two; where the latter is nil and `strategy` is `cacheThenFetch`, for this long.
  /// A kept entry takes room like any other and may be evicted; to a get it is a miss.
  public var revalidateWithin: Duration
  /// How much memory keeps when the system is short of it. Disk keeps everything.
  public var pressureRule: MemoryPressureRule
  /// The name space on disk.
  public var suite: String
  /// Where the time comes from. It must go on across restarts, unless there is no disk.
  public var clock: any CacheClock

  /// A configuration; by default LRU with 32 MiB in memory and 100 MiB on disk, written through,
  /// and all memory given up when the system is short of it.
  public init(
    memory: MemoryCacheConfiguration? = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(cost: 32 << 20)),
    disk: DiskConfiguration? = DiskConfiguration(), rules: HybridRules = HybridRules(),
    writes: HybridWrites = .through, copiesOnRead: Bool = false,
    strategy: CacheStrategy = .cacheElseFetch, staleIfError: Duration? = nil,
    staleWhileRevalidate: Duration? = nil, revalidateWithin: Duration = .seconds(30 * 86_400),
    pressureRule: MemoryPressureRule = MemoryPressureRule(keptOnWarning: 0, keptWhenCritical: 0),
    suite: String = "", clock: any CacheClock = WallCacheClock(isExact: false)
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
  }

  /// The rules that decide: with one tier there is nothing to decide.
  var effectiveRules: HybridRules {
    memory == nil || disk == nil ? HybridRules(promotion: .never) : rules
  }

  /// For how long what has expired is kept.
  var grace: Grace {
    let whileRevalidating =
      staleWhileRevalidate ?? (strategy == .cacheThenFetch ? revalidateWithin : .zero)
    let others = max(whileRevalidating, staleIfError ?? .zero).microseconds
    return Grace(versioned: max(others, revalidateWithin.microseconds), others: others)
  }

  private func checkDurations() throws(HybridCacheError) {
    let durations = [
      ("staleIfError", staleIfError), ("staleWhileRevalidate", staleWhileRevalidate),
      ("revalidateWithin", revalidateWithin),
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
    guard case .back(let entriesMax, let interval) = writes else { return }
    if memory == nil || disk == nil {
      throw .configuration(message: "write-back needs memory and disk")
    }
    if rules.inclusion == .exclusive {
      throw .configuration(
        message: "write-back needs inclusive rules; exclusive rules write evicted entries")
    }
    if entriesMax < 1 {
      throw .configuration(
        message: "write-back with at most \(entriesMax) waiting entries; expected at least 1")
    }
    if let interval, interval < .zero {
      throw .configuration(
        message: "write-back with an interval of \(interval); expected zero or more, or nil")
    }
  }
}
