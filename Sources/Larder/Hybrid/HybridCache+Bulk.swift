import LarderEngine

/// Requests for several keys with one call of a loader.
extension HybridCache {
  /// A function that asks the origin for the values of several keys. Keys that its result lacks
  /// have no value.
  public typealias BulkLoader =
    @Sendable ([OriginRequest<Key>]) async throws -> [Key: OriginAnswer<Value>]

  /// Returns the values of several keys, from the cache or from the origin, without keys that have
  /// none.
  ///
  /// `load` is called at most once, with the keys for which the origin has to be asked and that no
  /// running fetch is asking for; keys that others are fetching are waited for, and requests of
  /// others for these keys wait for this fetch. Otherwise each key works as with
  /// `value(for:strategy:maxAge:load:)`.
  ///
  /// - Parameters:
  ///   - strategy: The strategy; nil for `configuration.strategy`.
  ///   - maxAge: Lifetime of the fetched values; nil for that of the cache's limits.
  ///   - load: Fetches the values of all keys that are missing; keys without one are left out.
  /// - Throws: The first error by the order of the keys, unless a stale value may be returned;
  ///   `CancellationError`.
  public func values(
    for keys: some Sequence<Key>, strategy: CacheStrategy? = nil, maxAge: Duration? = nil,
    load: @escaping @Sendable ([Key]) async throws -> [Key: Value]
  ) async throws -> [Key: Value] {
    let keys = Array(keys)
    let results = await results(for: keys, strategy: strategy) { requests in
      try await load(requests.map(\.key)).mapValues { .value($0, maxAge: maxAge) }
    }
    return try Self.values(keys, results)
  }

  /// The values of results, or the first error by the order of the keys.
  static func values(
    _ keys: [Key], _ results: [Key: CacheResult<Value>]
  ) throws -> [Key: Value] {
    var values: [Key: Value] = [:]
    values.reserveCapacity(results.count)
    for key in keys { values[key] = try results[key]?.get() }
    return values
  }

  /// Returns the values of several keys and their sources: `values(for:load:)` with all responses
  /// that an origin may give. The loader receives the cached version of each key.
  ///
  /// - Parameters:
  ///   - strategy: The strategy; nil for `configuration.strategy`.
  ///   - load: Asks the origin, at most once.
  /// - Returns: A result for each key. If the call is cancelled, those that are not known by then
  ///   are failures.
  public func results(
    for keys: some Sequence<Key>, strategy: CacheStrategy? = nil, load: @escaping BulkLoader
  ) async -> [Key: CacheResult<Value>] {
    let strategy = strategy ?? configuration.strategy
    let turn = slots.map { _ in FetchTurn() }
    var results: [Key: CacheResult<Value>] = [:]
    var requests: [Fetch] = []
    var seen: Set<Key> = []
    for key in keys where seen.insert(key).inserted {
      var request = Fetch(key: key, strategy: strategy, turn: turn)
      if let hit = answerFromMemory(&request) {
        results[key] = .hit(hit)
      } else {
        requests.append(request)
      }
    }
    if Task.isCancelled {
      return seen.reduce(into: [:]) { $0[$1] = .failure(CancellationError()) }
    }
    let starts = await lanes.run(requests, by: { self.stripes.number($0.key) }) { requests in
      requests.map { ($0.key, self.begin($0)) }
    }.joined()
    launch(starts.compactMap { $0.1.launch.map { ($0, $0.flight.isBackground) } }, turn, load)
    for (key, start) in starts {
      switch start.next {
      case .answer(let result): results[key] = result
      case .wait(let flight): results[key] = await wait(key, for: flight)
      }
    }
    return results
  }

  /// Starts one call of a loader for several fetches.
  private func launch(
    _ launches: [(launch: Start.Launch, isBackground: Bool)], _ turn: FetchTurn?,
    _ load: @escaping BulkLoader
  ) {
    if launches.isEmpty { return }
    let bulk = BulkFetch<Key, Value>(count: launches.count)
    let marks = FetchMark.current + launches.map(\.launch.flight.mark)
    let requests = launches.map(\.launch.request)
    let isAwaited = launches.contains { !$0.isBackground }
    bulk.launch {
      await FetchMark.$current.withValue(marks) {
        await self.run(
          bulk, requests, turn, isAwaited ? self.configuration.fetchTimeout : nil, load)
      }
    }
    for (launch, isBackground) in launches {
      // The fetch has its turn with all others, and so its time limit.
      let single = Start.Launch(flight: launch.flight, request: launch.request, turn: nil)
      self.launch(single, isBehindHit: isBackground, limit: nil) { request in
        try await bulk.answer(for: request.key)
      }
    }
  }

  private func run(
    _ bulk: BulkFetch<Key, Value>, _ requests: [OriginRequest<Key>], _ turn: FetchTurn?,
    _ limit: Duration?, _ load: BulkLoader
  ) async {
    do {
      if let turn { try await slots?.wait(for: turn) }
      if let limit { bulk.limit(to: limit) }
      bulk.finish(.success(try await load(requests)))
    } catch {
      bulk.finish(.failure(error))
    }
    if let turn { slots?.end(turn) }
  }
}

/// A call of a loader for several keys, each of which has a fetch that waits for it.
final class BulkFetch<Key: DiskKeyRepresentable, Value: Sendable>: Sendable {
  typealias Answers = Result<[Key: OriginAnswer<Value>], any Error>

  /// Error of a call that took too long.
  private struct BulkTimedOut: Error {}

  private struct State {
    /// Number of fetches that want the result; the call is cancelled with the last.
    var interested: Int
    var answers: Answers?
    var waiters: [CheckedContinuation<Answers, Never>] = []
    var task: Task<Void, Never>?
    var timer: Task<Void, Never>?
  }

  private let state: Locked<State>

  /// Creates a call for a number of fetches.
  init(count: Int) { state = Locked(State(interested: count)) }

  func launch(_ body: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      #if LARDER_SCHEDULES
        state.task = Task(executorPreference: Schedules.hook, operation: body)
      #else
        state.task = Task(operation: body)
      #endif
    }
  }

  /// Cancels the call after a time, and ends it with an error because its loader may not.
  func limit(to limit: Duration) {
    #if LARDER_SCHEDULES
      // No time passes under a scheduler.
      if Schedules.hook != nil { return }
    #endif
    let timer = Task { [weak self] in
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      self?.finish(.failure(BulkTimedOut()))
      self?.state.withLock { $0.task }?.cancel()
    }
    let isLate = state.withLock { state in
      state.timer = timer
      return state.answers != nil
    }
    if isLate { timer.cancel() }
  }

  /// Waits for the answer to one of the fetches, which is absent if the loader has left it out.
  func answer(for key: Key) async throws -> OriginAnswer<Value> {
    let answers = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let answers = state.withLock { state in
          if state.answers == nil { state.waiters.append(continuation) }
          return state.answers
        }
        if let answers { continuation.resume(returning: answers) }
      }
    } onCancel: {
      leave()
    }
    do {
      return try answers.get()[key] ?? .absent
    } catch is BulkTimedOut {
      throw HybridCacheError.fetchTimedOut(key: key.diskKey)
    }
  }

  private func leave() {
    let task = state.withLock { state in
      state.interested -= 1
      return state.interested == 0 ? state.task : nil
    }
    task?.cancel()
  }

  /// Ends the call; only the first result counts.
  func finish(_ answers: Answers) {
    let (waiters, timer) = state.withLock { state in
      if state.answers != nil {
        return ([CheckedContinuation<Answers, Never>](), nil as Task<Void, Never>?)
      }
      state.answers = answers
      defer { state.waiters = [] }
      return (state.waiters, state.timer)
    }
    timer?.cancel()
    for waiter in waiters { waiter.resume(returning: answers) }
  }
}
