#if LARDER_SCHEDULES
  import DiskSimulation
  import Larder

  struct MemoryWorldOptions: Sendable {
    private static let policies: [CachePolicy] = [
      "lru", "fifo", "clock", "sieve", "s3-fifo", "random", "w-tinylfu", "arc", "s4-fifo",
    ]

    private(set) var configuration: MemoryCacheConfiguration
    let lives: [UInt64?]
    let setting: ScheduledOperation.Setting
    let mayLose: Bool
    let absenceLife: UInt64?
    let idleLife: UInt64?
    let tells: Bool
    /// Alarm for entries that expire; nil without prompt expiry.
    let alarm: ScheduledAlarm?
    /// Requests before the schedule, after which a policy that chooses among others soon changes
    /// the one in charge; 0 for other policies.
    let requestsBefore: Int

    init(_ random: inout SimulationRandom, _ clock: ScheduledClock) {
      let keys = 1 + random.below(4)
      // The keys of one shard may be more than its share.
      let isAmple = random.oneIn(2)
      let shards = random.pick([1, 1, 2])
      lives = random.pick([[nil], [nil], [nil, 2, 4]])
      configuration = MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: isAmple ? 8 * shards : shards + random.below(2)),
        policy: random.pick(Self.policies), shards: shards, hashing: .seeded(random.next()),
        clock: clock)
      configuration.seed = random.next()
      if lives.count > 1, random.oneIn(2) { configuration.staleWhileRevalidate = .seconds(3) }
      if lives.count > 1, random.oneIn(3) { configuration.refreshAfterWrite = .seconds(2) }
      absenceLife = random.oneIn(2) ? 3 : nil
      let isInsistent = absenceLife != nil && !random.oneIn(4)
      idleLife = !isInsistent && random.oneIn(3) ? random.pick([3, 4, 5]) : nil
      configuration.expireAfterAccess = idleLife.map { .seconds(Int64($0)) }
      tells = random.oneIn(3)
      let expires = lives.count > 1 || idleLife != nil
      alarm = expires && random.oneIn(3) ? ScheduledAlarm() : nil
      if let alarm {
        configuration.promptExpiry = .milliseconds(100)
        configuration.expiryAlarm = alarm
      }
      let mayTrim = random.oneIn(3)
      let mayLimit = random.oneIn(4)
      let isLingering = idleLife != nil && random.oneIn(2)
      // Lock-free hits can interleave in more ways.
      if isLingering { configuration.policy = random.pick(["fifo", "clock", "sieve", "s3-fifo"]) }
      // Drawn separately, so that the operations of a seed stay the same.
      var other = random
      let chooses = !isLingering && !tells && other.oneIn(6)
      if other.oneIn(3) { configuration.loadsMax = 1 }
      // All objects are sampled, or one of eight entries in each shard.
      let (shadow, epoch) = other.pick([(1000, 50), (1, 400 * shards)])
      if chooses {
        configuration.policy = CachePolicy(
          "auto:policies=lru/lfu/s3-fifo:shadow=\(shadow):margin=0")
      }
      requestsBefore = chooses ? epoch - 1 - other.below(6) : 0
      // Probes empty the cache.
      mayLose = !isAmple || mayTrim || mayLimit || isInsistent
      let setting = ScheduledOperation.Setting(
        keys: keys,
        shares: [
          (.get, 3), (.set, 3), (.update, random.below(3)), (.remove, 2),
          (.removeAll, random.below(2)), (.request, 6), (.cancel, random.below(3)),
          (.advance, expires ? 2 : 0), (.removeExpired, expires ? 1 : 0),
          (.trim, mayTrim ? 1 : 0), (.probe, 0), (.linger, 0), (.look, random.below(2)),
          (.list, random.below(2)), (.limit, mayLimit ? 1 : 0), (.ring, alarm == nil ? 0 : 3),
        ], strategies: [.cacheElseFetch], lives: lives)
      if isInsistent {
        self.setting = setting.insistent
      } else if isLingering {
        self.setting = setting.lingering
      } else {
        self.setting = random.oneIn(2) ? setting.impatient : setting
      }
    }

    var reasons: Set<MemoryRemovalReason> {
      var reasons: Set<MemoryRemovalReason> = [.replaced, .removed]
      if mayLose { reasons.formUnion([.evicted, .refused]) }
      if lives.count > 1 || idleLife != nil { reasons.insert(.expired) }
      return reasons
    }

    func rules(clockEnd: UInt64) -> HistoryRules {
      var rules = HistoryRules(
        isMemoryCache: true, mayLose: mayLose,
        returnsExpired: configuration.staleWhileRevalidate != nil
          || configuration.refreshAfterWrite != nil,
        absenceLife: (absenceLife ?? 0) * 1_000_000, clockEnd: clockEnd)
      if let idleLife {
        let life = idleLife * 1_000_000
        // A get that finds another entry in place of the one it looked for may keep that alive.
        rules.idleLife = life...(setting.keys == 1 ? life + life / 16 : .max)
      }
      return rules
    }

    var description: String {
      let configuration = configuration
      func seconds(_ duration: Duration?) -> String { duration.map { "\($0)" } ?? "never" }
      return "\(configuration.policy), \(configuration.limits.count ?? 0) entries in "
        + "\(configuration.shards ?? 0) shards, \(setting.keys) keys, "
        + "refresh \(seconds(configuration.refreshAfterWrite)), "
        + "stale \(seconds(configuration.staleWhileRevalidate)), "
        + "idle \(seconds(configuration.expireAfterAccess)), "
        + "loads at once \(configuration.loadsMax.map { "\($0)" } ?? "any"), "
        + "absences \(absenceLife.map { "\($0) s" } ?? "none"), tells \(tells), "
        + "prompt \(alarm != nil), may lose \(mayLose)"
    }
  }
#endif
