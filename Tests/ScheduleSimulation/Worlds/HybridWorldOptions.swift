#if LARDER_SCHEDULES
  import DiskSimulation
  import Larder
  import LarderEngine

  struct HybridWorldOptions: Sendable {
    private static let policies = ["lru", "fifo", "clock", "sieve", "s3-fifo", "random"]

    private(set) var configuration: HybridCacheConfiguration
    let lives: [UInt64?]
    let setting: ScheduledOperation.Setting
    let mayLose: Bool
    let failsDisk: Bool
    let limitsDisk: Bool
    let isKeptOnDisk: Bool

    init(_ random: inout SimulationRandom, _ clock: ScheduledClock) {
      let keys = 1 + random.below(4)
      let shards = random.pick([1, 1, 2])
      let isExclusive = random.oneIn(4)
      // An exclusive cache may lose many entries; here it must lose none.
      let isStrict = isExclusive && !random.oneIn(3)
      let isDiskAmple = isStrict || !random.oneIn(4)
      lives = isStrict ? [nil] : random.pick([[nil], [nil], [nil, 2, 4]])
      failsDisk = !isStrict && random.oneIn(5)
      let hasMemory = isStrict || !random.oneIn(8)
      var rules = HybridRules(
        inclusion: isExclusive ? .exclusive : .inclusive,
        promotion: random.pick(HybridRules.Promotion.allCases))
      if lives.count > 1, random.oneIn(4) {
        rules.placement = HybridRules.Placement(
          memoryOnlyBelowSeconds: 3, diskOnlyFromSeconds: random.pick([4, 100]))
      }
      let isLarge = !isStrict && random.oneIn(3)
      var memory = MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: isLarge ? 8 * shards : shards + random.below(2)),
        policy: CachePolicy(random.pick(Self.policies)), shards: shards,
        hashing: .seeded(random.next()))
      memory.seed = random.next()
      var disk = DiskConfiguration(
        policy: CachePolicy(random.pick(Self.policies)),
        limits: DiskLimits(
          bytes: nil, count: isDiskAmple ? 64 : 1 + random.below(3), freeBytes: 0),
        durability: random.pick([.none, .normal]),
        inlineBytesMax: random.pick([0, 1000]), pageCacheBytes: 64 << 10)
      // Drawn separately, so that the operations of a seed stay the same.
      var other = random
      if other.oneIn(4) { disk.durability = .full }
      disk.segmentBytes = other.pick([nil, 8_192])
      disk.readersAfter = other.pick([0, 4, 32])
      let choosing: CachePolicy = "auto:policies=lru/lfu/s3-fifo:margin=0"
      if other.oneIn(8) { memory.policy = choosing }
      if other.oneIn(8) { disk.policy = choosing }
      configuration = HybridCacheConfiguration(
        memory: hasMemory ? MemoryTier(memory) : nil, disk: disk, rules: rules, clock: clock)
      configuration.copiesOnRead = random.oneIn(4)
      configuration.strategy = random.pick(CacheStrategy.allCases)
      configuration.staleIfError = random.pick([nil, nil, .zero, .seconds(5)])
      configuration.staleWhileRevalidate = random.pick([
        HybridCacheConfiguration.whileKept, nil, .seconds(5),
      ])
      let mayTrim = !isStrict && random.oneIn(3)
      let mayLimit = !isStrict && random.oneIn(4)
      limitsDisk = mayLimit && (!hasMemory || random.oneIn(2))
      let isPlaced = rules.placement != nil
      mayLose =
        !isDiskAmple || failsDisk || isPlaced || limitsDisk
        || isExclusive && hasMemory && (mayTrim || mayLimit)
      isKeptOnDisk = !(isExclusive && hasMemory) && !isPlaced
      setting = ScheduledOperation.Setting(
        keys: keys,
        shares: [
          (.get, 3), (.set, 3), (.remove, 2), (.removeAll, random.below(2)), (.request, 6),
          (.cancel, random.below(3)), (.advance, lives.count > 1 ? 2 : 0),
          (.removeExpired, lives.count > 1 ? 1 : 0), (.trim, mayTrim ? 1 : 0),
          (.flush, random.below(2)), (.fail, failsDisk ? 2 : 0), (.look, random.oneIn(4) ? 1 : 0),
          (.limit, mayLimit ? 1 : 0), (.prewarm, random.oneIn(4) ? 1 : 0),
          (.follow, random.pick([0, 0, 1, 3])),
        ],
        strategies: random.oneIn(3)
          ? [random.pick(CacheStrategy.allCases)] : CacheStrategy.allCases,
        lives: lives)
    }

    func open(_ disk: SimulatedDisk) throws -> HybridCache<Int, ObjectValue> {
      try HybridCache(
        path: "/caches/app", configuration: configuration, codec: ObjectValue.codec,
        files: SimulatedFiles(disk))
    }

    var description: String {
      let memory = configuration.memory
      let disk = configuration.disk
      return "hybrid cache, memory \(memory?.policy ?? "none") \(memory?.limits.count ?? 0) in "
        + "\(memory?.configuration.shards ?? 0) shards, disk \(disk?.policy ?? "none") "
        + "\(disk?.limits.count ?? 0), \(configuration.rules.inclusion), promotion "
        + "\(configuration.rules.promotion), placement \(configuration.rules.placement != nil), "
        + "copies \(configuration.copiesOnRead), strategy "
        + "\(configuration.strategy), stale if error \(configuration.staleIfError as Any), while "
        + "revalidating \(configuration.staleWhileRevalidate as Any), disk fails \(failsDisk), "
        + "may lose \(mayLose)"
    }
  }
#endif
