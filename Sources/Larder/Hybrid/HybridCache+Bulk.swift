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
  ///   - keys: The keys; one that occurs several times counts as one request.
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
  ///   - keys: The keys; one that occurs several times counts as one request.
  ///   - strategy: The strategy; nil for `configuration.strategy`.
  ///   - load: Asks the origin, at most once, and once more if `notModified` had another version.
  /// - Returns: A result for each key. If the call is cancelled, those that are not known by then
  ///   are failures.
  public func results(
    for keys: some Sequence<Key>, strategy: CacheStrategy? = nil, load: @escaping BulkLoader
  ) async -> [Key: CacheResult<Value>] {
    let strategy = strategy ?? configuration.strategy
    let leader = CacheFlight<Void>(candidate: nil, isBackground: false)
    var results: [Key: CacheResult<Value>] = [:]
    var requests: [Fetch] = []
    var seen: Set<Key> = []
    for key in keys where seen.insert(key).inserted {
      var request = Fetch(key: key, strategy: strategy, leader: leader)
      if let hit = answerFromMemory(&request) {
        results[key] = .hit(hit)
      } else {
        requests.append(request)
      }
    }
    if Task.isCancelled {
      return seen.reduce(into: [:]) { $0[$1] = .failure(CancellationError()) }
    }
    let number: (Fetch) -> Int = { self.stripes.number($0.key) }
    let starts = await lanes.run(requests, by: number) { requests in
      requests.map { ($0.key, self.begin($0)) }
    }.joined()
    launch(starts.compactMap(\.1.launch), leader) { requests in
      try await OriginRequest.answers(to: requests, load)
    }
    for (key, start) in starts {
      switch start.next {
      case .answer(let result): results[key] = result
      case .wait(let flight):
        if start.launch == nil { queue?.hurry(flight.mark) }
        results[key] = await wait(key, for: flight)
      }
    }
    return results
  }

  /// Starts one call of a loader for several fetches, which `leader` represents.
  private func launch(
    _ launches: [Start.Launch], _ leader: CacheFlight<Void>, _ load: @escaping BulkLoader
  ) {
    if launches.isEmpty { return }
    leader.launch { await self.run(launches, leader, load) }
  }

  private func run(
    _ launches: [Start.Launch], _ leader: CacheFlight<Void>, _ load: BulkLoader
  ) async {
    let answers: Result<[Key: OriginAnswer<Value>], any Error>
    let isRefresh = launches.allSatisfy(\.flight.isBackground)
    do {
      let requests = launches.map(\.request)
      answers = .success(
        try await leader.calling(queue, limit: limit(isRefresh)) {
          try await load(requests)
        } end: { hasBegun in
          await self.land(launches, isCancelled: false) { key in
            .failure(self.timeOut(key, isRefresh: isRefresh, hasBegun))
          }
        })
    } catch {
      answers = .failure(error)
    }
    await land(launches, isCancelled: Task.isCancelled) { key in
      answers.map { $0[key] ?? .absent }
    }
    _ = leader.finish(.absent, nil)
  }

  /// Ends fetches, unless they have ended before.
  private func land(
    _ launches: [Start.Launch], isCancelled: Bool,
    _ answer: @escaping @Sendable (Key) -> Result<OriginAnswer<Value>, any Error>
  ) async {
    let number: (Start.Launch) -> Int = { self.stripes.number($0.request.key) }
    _ = await lanes.run(launches, by: number) { launches in
      for launch in launches {
        let key = launch.request.key
        self.land(launch.flight, key, answer(key), isCancelled: isCancelled)
      }
    }
  }
}
