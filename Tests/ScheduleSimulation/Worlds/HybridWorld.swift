#if LARDER_SCHEDULES
  import DiskSimulation
  import Larder
  import LarderEngine

  /// A small hybrid cache on a simulated disk with an origin.
  final class HybridWorld: ScheduledWorld, @unchecked Sendable {
    let recorder: ScheduleRecorder
    let setting: ScheduledOperation.Setting
    let options: HybridWorldOptions
    private(set) var cache: HybridCache<Int, ObjectValue>
    private let disk: SimulatedDisk
    private let origin: ScheduledOrigin
    private var message: String?

    init(_ scheduler: Scheduler, _ random: inout SimulationRandom) throws {
      recorder = ScheduleRecorder(scheduler, SimulationRandom(seed: random.next()))
      options = HybridWorldOptions(&random, recorder.clock)
      disk = SimulatedDisk(seed: random.next())
      cache = try options.open(disk)
      origin = ScheduledOrigin(
        recorder: recorder, failures: random.pick([0, 0, 2]), absences: random.pick([0, 1]),
        lives: options.lives, pauses: random.pick([2, 2, 6]))
      setting = random.oneIn(6) ? options.setting.impatient : options.setting
    }

    var description: String { options.description }

    var rules: HistoryRules {
      HistoryRules(
        isMemoryCache: false, mayLose: options.mayLose,
        mayMissWhatIsThere: options.failsDisk, clockEnd: recorder.clock.time)
    }

    func fault() -> String? { message }

    private func number(_ value: ObjectValue?) -> Int? {
      guard let value else { return nil }
      if value.number == nil { message = "a value that nobody stored" }
      return value.number ?? -1
    }

    func perform(_ operation: ScheduledOperation, _ client: Int) async {
      switch operation {
      case .get(let key): get(key, client)
      case .set(let key, let life): set(key, life, client)
      case .remove(let key):
        record(client, key) {
          mayFail { try cache.remove(key) }
          return .remove
        }
      case .removeAll:
        recordAll(client) {
          mayFail { try cache.removeAll() }
          return { _ in .remove }
        }
      case .request(let key, let strategy, let mayBeCancelled):
        let call = recorder.begin(client, key)
        let outcome =
          mayBeCancelled
          ? await recorder.cancellable(call) { await self.ask(key, strategy, call) }
          : await ask(key, strategy, call)
        recorder.end(call, .request(strategy, outcome))
      case .follow(let key, let mayBeCancelled):
        await follow(client, key, mayBeCancelled: mayBeCancelled)
      case .cancel: recorder.cancelOne()
      case .advance(let seconds): recorder.clock.advance(seconds: seconds)
      case .removeExpired: mayFail { try cache.removeExpired() }
      case .flush: mayFail { try cache.flush() }
      case .trim(let count): cache.trimMemory(toCount: count)
      case .fail(let fault): disk.fault = fault
      case .look(let key): look(key, client)
      case .limit(let count): limit(count)
      case .prewarm: await prewarm(client)
      case .update, .probe, .linger, .list, .ring: break
      }
    }

    private func mayFail(_ body: () throws -> Void) {
      do { try body() } catch {
        if !options.failsDisk { message = "failed though nothing fails: \(error)" }
      }
    }

    private func get(_ key: Int, _ client: Int) {
      record(client, key) {
        do {
          return .get(number(try cache.value(for: key)))
        } catch {
          if !options.failsDisk { message = "failed though nothing fails: \(error)" }
          return .nothing("\(error)")
        }
      }
    }

    private func look(_ key: Int, _ client: Int) {
      record(client, key) {
        do {
          return .look(try cache.contains(key))
        } catch {
          if !options.failsDisk { message = "failed though nothing fails: \(error)" }
          return .nothing("\(error)")
        }
      }
    }

    private func limit(_ count: Int) {
      mayFail {
        if options.limitsDisk {
          try cache.setDiskLimits(DiskLimits(bytes: nil, count: 1 + count, freeBytes: 0))
        } else {
          let shards = options.configuration.memory?.configuration.shards ?? 1
          try cache.setMemoryLimits(MemoryCacheLimits(count: shards + count))
        }
      }
    }

    private func set(_ key: Int, _ life: UInt64?, _ client: Int) {
      record(client, key) {
        let new = recorder.newValue()
        let store = DiskStoreOptions(
          timeToLive: life.map { .microseconds(Int64($0)) },
          version: HistoryEvent.hasVersion(new) ? "\(new)" : nil)
        do {
          let isStored = try cache.set(ObjectValue(new), for: key, options: store)
          return .set(new, life: life, isStored ? .stored : .refused)
        } catch {
          if !options.failsDisk { message = "failed though nothing fails: \(error)" }
          return .set(new, life: life, .failed)
        }
      }
    }

    private func ask(
      _ key: Int, _ strategy: CacheStrategy, _ call: Int
    ) async -> HistoryEvent.RequestOutcome {
      let result = await cache.result(for: key, strategy: strategy) { request in
        try await self.load(request, call)
      }
      return outcome(result)
    }

    private func outcome(_ result: CacheResult<ObjectValue>) -> HistoryEvent.RequestOutcome {
      switch result {
      case .hit(let hit):
        let found = number(hit.value) ?? -1
        return switch hit.freshness {
        case .fresh: .fresh(found)
        case .revalidated: .confirmed(found)
        case .stale: .stale(found)
        }
      case .miss(let value): return .fetched(number(value) ?? -1)
      case .absent: return .absent
      case .failure(let error): return ScheduledOrigin.outcome(error)
      }
    }

    /// Records two requests: one that is answered with the cached value, if any, and one whose
    /// loader it is and that waits for the load.
    private func follow(_ client: Int, _ key: Int, mayBeCancelled: Bool) async {
      let first = recorder.begin(client, key)
      let last = recorder.begin(client, key)
      let answers = FollowedAnswers()
      let ask: @Sendable () async -> HistoryEvent.RequestOutcome = {
        await self.cache.sendUpdates(
          for: key, load: { try await self.load($0, last) },
          to: { answers.all.append((self.outcome($0), self.recorder.now())) })
        return answers.all.last?.outcome ?? .unexpected("no answer")
      }
      let outcome = mayBeCancelled ? await recorder.cancellable(last, ask) : await ask()
      let latest = answers.all.popLast()
      recorder.end(last, .request(.cacheThenFetch, outcome), at: latest?.instant)
      if let early = answers.all.popLast() {
        recorder.end(first, .request(.cacheThenFetch, early.outcome), at: early.instant)
      } else {
        recorder.end(first, .nothing("no first answer"))
      }
      if !answers.all.isEmpty { message = "more than two answers" }
    }

    private func load(
      _ request: OriginRequest<Int>, _ call: Int
    ) async throws -> OriginAnswer<ObjectValue> {
      var candidate = HistoryLoad.Candidate.none
      if request.created != nil {
        candidate = .some(request.version.flatMap { Int($0) })
      }
      let answer = try await origin.answer(
        request.key, owner: call, candidate, mayConfirm: request.version != nil)
      switch answer {
      case .value(let new, let life):
        return .value(
          ObjectValue(new), version: HistoryEvent.hasVersion(new) ? "\(new)" : nil,
          maxAge: life.map { .microseconds(Int64($0)) })
      case .notModified: return .notModified()
      case .absent: return .absent
      case .failed, .cancelled: throw CancellationError()
      }
    }

    /// Requests all keys. The individual results are not reported, so the model knows only the
    /// loads.
    private func prewarm(_ client: Int) async {
      let calls = (0..<setting.keys).map { recorder.begin(client, $0) }
      await withTaskGroup(of: Void.self) { group in
        for (key, call) in calls.enumerated() {
          group.addTask {
            _ = await self.cache.result(for: key, strategy: .cacheElseFetch) { request in
              try await self.load(request, call)
            }
          }
        }
      }
      for call in calls { recorder.end(call, .nothing("all")) }
    }

    // MARK: The end

    func finish() async {
      disk.endFault()
      for key in 0..<setting.keys { get(key, -1) }
      guard options.isKeptOnDisk else { return }
      cache.trimMemory()
      for key in 0..<setting.keys { get(key, -1) }
      guard !options.failsDisk else { return }
      mayFail { try cache.close() }
      do {
        cache = try options.open(disk)
      } catch {
        message = "cannot be opened again: \(error)"
        return
      }
      for key in 0..<setting.keys { get(key, -1) }
    }
  }

  final class FollowedAnswers: @unchecked Sendable {
    var all: [(outcome: HistoryEvent.RequestOutcome, instant: ScheduleRecorder.Instant)] = []
  }
#endif
