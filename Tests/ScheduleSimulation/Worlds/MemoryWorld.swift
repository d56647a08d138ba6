#if LARDER_SCHEDULES
  import DiskSimulation
  import Larder

  /// A small memory cache with an origin.
  final class MemoryWorld<Value: ScheduledValue>: ScheduledWorld, @unchecked Sendable {
    let recorder: ScheduleRecorder
    let setting: ScheduledOperation.Setting
    let description: String
    private let cache: MemoryCache<Int, Value>
    private let origin: ScheduledOrigin
    private let mayLose: Bool
    private let returnsExpired: Bool
    /// How many seconds it is remembered that the origin has no value; nil where it always has one.
    private let absenceLife: UInt64?
    private var message: String?

    init(_ scheduler: Scheduler, _ random: inout SimulationRandom) throws {
      recorder = ScheduleRecorder(scheduler, SimulationRandom(seed: random.next()))
      let keys = 1 + random.below(4)
      // Keys of one shard may be more than their share.
      let isAmple = random.oneIn(2)
      let shards = random.pick([1, 1, 2])
      let lives: [UInt64?] = random.pick([[nil], [nil], [nil, 2, 4]])
      var configuration = MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: isAmple ? 8 * shards : shards + random.below(2)),
        policy: random.pick([
          "lru", "fifo", "clock", "sieve", "s3-fifo", "random", "w-tinylfu", "arc", "qd-lp",
        ]),
        shards: shards, hashing: .seeded(random.next()), clock: recorder.clock,
        seed: random.next())
      if lives.count > 1, random.oneIn(2) { configuration.staleWhileRevalidate = .seconds(3) }
      if lives.count > 1, random.oneIn(3) { configuration.refreshAfterWrite = .seconds(2) }
      returnsExpired =
        configuration.staleWhileRevalidate != nil || configuration.refreshAfterWrite != nil
      cache = try MemoryCache(configuration)
      absenceLife = random.oneIn(2) ? 3 : nil
      let mayTrim = random.oneIn(3)
      // Some policies give up a little before they are full.
      let isInsistent = absenceLife != nil && !random.oneIn(4)
      mayLose = !isAmple || mayTrim || isInsistent
      origin = ScheduledOrigin(
        recorder: recorder, failures: random.pick([0, 0, 2]),
        absences: absenceLife == nil ? 0 : random.pick([2, 6]), lives: lives,
        pauses: random.pick([2, 2, 6]))
      let setting = ScheduledOperation.Setting(
        keys: keys,
        shares: [
          (.get, 3), (.set, 3), (.update, random.below(3)), (.remove, 2),
          (.removeAll, random.below(2)), (.request, 6), (.cancel, random.below(3)),
          (.advance, lives.count > 1 ? 2 : 0), (.removeExpired, lives.count > 1 ? 1 : 0),
          (.trim, mayTrim ? 1 : 0), (.probe, 0),
        ], strategies: [.cacheElseFetch], lives: lives)
      if isInsistent {
        self.setting = setting.insistent
      } else {
        self.setting = random.oneIn(4) ? setting.impatient : setting
      }
      description =
        "memory cache of \(Value.self), \(configuration.policy), "
        + "\(configuration.limits.count ?? 0) entries in \(shards) shards, "
        + "\(self.setting.keys) keys, "
        + "refresh \(configuration.refreshAfterWrite.map { "\($0)" } ?? "never"), "
        + "stale \(configuration.staleWhileRevalidate.map { "\($0)" } ?? "never"), "
        + "absences \(absenceLife.map { "\($0) s" } ?? "none")"
    }

    var rules: HistoryRules {
      HistoryRules(
        setOvertakes: false, isMemoryCache: true, mayLose: mayLose,
        returnsExpired: returnsExpired, absenceLife: (absenceLife ?? 0) * 1_000_000,
        clockEnd: recorder.clock.time)
    }

    func fault() -> String? { message }

    /// The number of a value that the cache returned.
    private func number(_ value: Value?) -> Int? {
      guard let value else { return nil }
      if value.number == nil { message = "a value that nobody stored: \(value)" }
      return value.number ?? -1
    }

    func perform(_ operation: ScheduledOperation, _ client: Int) async {
      switch operation {
      case .get(let key): record(client, key) { .get(number(cache.value(for: key))) }
      case .set(let key, let life):
        record(client, key) {
          let new = recorder.newValue()
          let isStored = cache.set(
            Value(new), for: key, timeToLive: life.map { .microseconds(Int64($0)) })
          return .set(new, life: life, isStored ? .stored : .refused)
        }
      case .update(let key):
        record(client, key) {
          let new = recorder.newValue()
          let old = cache.update(key) { value in
            defer { value = Value(new) }
            return value
          }
          return .update(old: number(old), new: new)
        }
      case .remove(let key):
        record(client, key) {
          cache.remove(key)
          return .remove
        }
      case .removeAll:
        recordAll(client) {
          cache.removeAll()
          return .remove
        }
      case .request(let key, let strategy, let mayBeCancelled):
        await request(client, key, strategy, mayBeCancelled: mayBeCancelled)
      case .cancel: recorder.cancelOne()
      case .advance(let seconds): recorder.clock.advance(seconds: seconds)
      case .removeExpired: cache.removeExpired()
      case .trim(let count): cache.trim(toCount: count)
      case .probe(let key):
        record(client, key) { .get(number(cache.value(for: key))) }
        cache.trim(toCount: 0)
        await request(client, key, .cacheElseFetch, mayBeCancelled: false)
      case .flush, .fail: break
      }
    }

    private func request(
      _ client: Int, _ key: Int, _ strategy: CacheStrategy, mayBeCancelled: Bool
    ) async {
      let asksForAbsence = absenceLife != nil && !recorder.random.oneIn(4)
      let call = recorder.begin(client, key, asksForAbsence: asksForAbsence)
      let ask: @Sendable () async -> HistoryEvent.RequestOutcome = {
        do {
          let value =
            asksForAbsence
            ? try await self.valueOrNone(key, call) : try await self.value(key, call)
          return value.map { .value(self.number($0) ?? -1) } ?? .absent
        } catch {
          return ScheduledOrigin.outcome(error)
        }
      }
      let outcome = mayBeCancelled ? await recorder.cancellable(call, ask) : await ask()
      recorder.end(call, .request(strategy, outcome))
    }

    private func value(_ key: Int, _ call: Int) async throws -> Value {
      let lives = LifeBox()
      return try await cache.value(
        for: key, timeToLive: { _ in lives.microseconds },
        load: { key in
          guard let value = try await self.load(key, call, lives, mayBeAbsent: false) else {
            throw CancellationError()
          }
          return value
        })
    }

    private func valueOrNone(_ key: Int, _ call: Int) async throws -> Value? {
      let lives = LifeBox()
      return try await cache.value(
        for: key, negativeLife: .seconds(Int64(absenceLife ?? 0)),
        timeToLive: { _ in lives.microseconds },
        load: { try await self.load($0, call, lives, mayBeAbsent: true) })
    }

    /// Asks the origin for a value and its life.
    private func load(
      _ key: Int, _ call: Int, _ lives: LifeBox, mayBeAbsent: Bool
    ) async throws -> Value? {
      let answer = try await origin.answer(
        key, owner: call, .unknown, mayConfirm: false, mayBeAbsent: mayBeAbsent)
      guard case .value(let number, let life) = answer else { return nil }
      lives.life = life
      return Value(number)
    }

    func finish() async {
      for key in 0..<setting.keys {
        record(-1, key) { .get(number(cache.value(for: key))) }
      }
    }
  }

  /// The life of a value that a loader has brought, for who stores it.
  final class LifeBox: @unchecked Sendable {
    var life: UInt64?
    var microseconds: Duration? { life.map { .microseconds(Int64($0)) } }
  }
#endif
