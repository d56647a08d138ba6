#if LARDER_SCHEDULES
  import DiskSimulation
  import Larder

  final class MemoryWorld<Value: ScheduledValue>: ScheduledWorld, @unchecked Sendable {
    let recorder: ScheduleRecorder
    let options: MemoryWorldOptions
    private let cache: MemoryCache<Int, Value>
    private let origin: ScheduledOrigin
    private let told: ToldRemovals?
    private var message: String?
    private var clockEnd: UInt64?

    init(_ scheduler: Scheduler, _ random: inout SimulationRandom) throws {
      let recorder = ScheduleRecorder(scheduler, SimulationRandom(seed: random.next()))
      let options = MemoryWorldOptions(&random, recorder.clock)
      self.recorder = recorder
      self.options = options
      if options.tells {
        let told = ToldRemovals(recorder, options.reasons)
        self.told = told
        cache = try MemoryCache(
          options.configuration,
          onRemoval: { key, value, reason in
            told.note(value.number, key, reason)
          })
      } else {
        told = nil
        cache = try MemoryCache(options.configuration)
      }
      origin = ScheduledOrigin(
        recorder: recorder, failures: random.pick([0, 0, 2]),
        absences: options.absenceLife == nil ? 0 : random.pick([2, 6]), lives: options.lives,
        pauses: random.pick([2, 2, 6]))
      // A loop over more keys than there is room for, in which LRU has no hits. All of it leaves.
      let keys = 1000..<1012
      for index in 0..<options.requestsBefore {
        cache.set(Value(recorder.newValue()), for: keys.lowerBound + index % keys.count)
      }
      if options.requestsBefore > 0 { for key in keys { cache.remove(key) } }
    }

    var setting: ScheduledOperation.Setting { options.setting }

    var description: String { "memory cache of \(Value.self), \(options.description)" }

    var rules: HistoryRules { options.rules(clockEnd: clockEnd ?? recorder.clock.time) }

    func fault() -> String? { message ?? told?.message }

    private func number(_ value: Value?) -> Int? {
      guard let value else { return nil }
      if value.number == nil { message = "a value that nobody stored: \(value)" }
      return value.number ?? -1
    }

    func perform(_ operation: ScheduledOperation, _ client: Int) async {
      switch operation {
      case .get(let key): get(key, client)
      case .look(let key): record(client, key) { .look(cache.contains(key)) }
      case .list:
        recordAll(client) {
          let keys = cache.keys
          return { .look(keys.contains($0)) }
        }
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
          return { _ in .remove }
        }
      case .request(let key, let strategy, let mayBeCancelled):
        await request(client, key, strategy, mayBeCancelled: mayBeCancelled)
      case .cancel: recorder.cancelOne()
      case .advance(let seconds): recorder.clock.advance(seconds: seconds)
      case .removeExpired: cache.removeExpired()
      case .trim(let count): cache.trim(toCount: count)
      case .probe(let key):
        get(key, client)
        cache.trim(toCount: 0)
        await request(client, key, .cacheElseFetch, mayBeCancelled: false)
      case .linger(let key):
        for _ in 0..<3 {
          get(key, client)
          recorder.clock.advance(seconds: UInt64(1 + recorder.random.below(3)))
        }
      case .limit(let count): limit(count)
      case .ring: options.alarm?.ring()
      case .flush, .fail, .prewarm, .follow: break
      }
    }

    private func get(_ key: Int, _ client: Int) {
      record(client, key) { .get(number(cache.value(for: key))) }
    }

    private func limit(_ count: Int) {
      let shards = options.configuration.shards ?? 1
      do {
        try cache.setLimits(MemoryCacheLimits(count: shards * (1 + count)))
      } catch {
        message = "limits are refused: \(error)"
      }
    }

    private func request(
      _ client: Int, _ key: Int, _ strategy: CacheStrategy, mayBeCancelled: Bool
    ) async {
      let asksForAbsence = options.absenceLife != nil && !recorder.random.oneIn(4)
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
        for: key, negativeLife: .seconds(Int64(options.absenceLife ?? 0)),
        timeToLive: { _ in lives.microseconds },
        load: { try await self.load($0, call, lives, mayBeAbsent: true) })
    }

    private func load(
      _ key: Int, _ call: Int, _ lives: LifeBox, mayBeAbsent: Bool
    ) async throws -> Value? {
      let answer = try await origin.answer(
        key, owner: call, .unknown, mayConfirm: false, mayBeAbsent: mayBeAbsent)
      guard case .value(let number, let life) = answer else { return nil }
      lives.life = life
      return Value(number)
    }

    // MARK: The end

    func finish() async {
      for key in 0..<setting.keys { get(key, -1) }
      if let alarm = options.alarm { expireAll(alarm) }
      guard let told else { return }
      cache.removeAll()
      told.check()
    }

    /// Checks that expired entries leave without being requested.
    private func expireAll(_ alarm: ScheduledAlarm) {
      clockEnd = recorder.clock.time
      recorder.clock.advance(seconds: 1_000)
      for _ in 0..<1_000 where alarm.isSet { alarm.ring() }
      let usable = cache.keys.count
      if alarm.isSet || cache.count != usable {
        message = "\(cache.count) entries are left, \(usable) of them usable; alarm \(alarm.isSet)"
      }
    }
  }

  final class LifeBox: @unchecked Sendable {
    var life: UInt64?
    var microseconds: Duration? { life.map { .microseconds(Int64($0)) } }
  }
#endif
