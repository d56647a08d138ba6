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
    self.pressureRule = pressureRule
    self.suite = suite
    self.clock = clock
  }

  /// The rules that decide: with one tier there is nothing to decide.
  var effectiveRules: HybridRules {
    memory == nil || disk == nil ? HybridRules(promotion: .never) : rules
  }

  /// What is wrong with it beside what disk and the policies find out.
  func check() throws(HybridCacheError) {
    if memory == nil, disk == nil {
      throw .configuration(message: "a hybrid cache needs memory, disk or both; it has neither")
    }
    if let life = staleIfError, life < .zero {
      throw .configuration(message: "a staleIfError of \(life): expected zero or more, or nil")
    }
    do throws(MemoryCacheError) {
      try pressureRule.check()
      if let memory { try memory.check(shards: memory.shardCount()) }
    } catch {
      throw .memory(error)
    }
    guard case .back(let entriesMax, let interval) = writes else { return }
    if memory == nil || disk == nil {
      throw .configuration(message: "writing back needs memory and disk")
    }
    if rules.inclusion == .exclusive {
      throw .configuration(
        message: "writing back needs inclusive rules: exclusive ones write what memory evicts")
    }
    if entriesMax < 1 {
      throw .configuration(
        message: "writing back with at most \(entriesMax) entries waiting: expected at least 1")
    }
    if let interval, interval < .zero {
      throw .configuration(
        message: "writing back after an interval of \(interval): expected zero or more, or nil")
    }
  }
}
