extension HybridCache {
  /// The value of a key, from the cache or from the origin according to the strategy.
  ///
  /// Concurrent requests for a key join the fetch in progress: the `load` of only one of them is
  /// called, once. A cancelled request ends at once; the fetch continues for the others, and is
  /// cancelled with the last.
  ///
  /// - Parameters:
  ///   - strategy: nil for `configuration.strategy`.
  ///   - maxAge: lifetime of a fetched value; nil for that of the cache's limits.
  ///   - load: fetches the value.
  /// - Throws: the error of `load`, unless a stale value may be returned; `absent`, with
  ///   `cacheOnly`; `CancellationError`.
  public func value(
    for key: Key, strategy: CacheStrategy? = nil, maxAge: Duration? = nil,
    load: @escaping @Sendable (OriginRequest<Key>) async throws -> Value
  ) async throws -> Value {
    let result = await result(for: key, strategy: strategy) { request in
      .value(try await load(request), maxAge: maxAge)
    }
    guard let value = try result.get() else { throw HybridCacheError.absent(key: key.diskKey) }
    return value
  }

  /// The value of a key and its source: `value(for:)` with all answers that an origin may give. The
  /// origin receives the cached version, and may answer that it has not changed, how long a value
  /// is valid, or that there is none.
  ///
  /// A failing disk counts as empty, and listeners are notified.
  ///
  /// - Parameters:
  ///   - strategy: nil for `configuration.strategy`.
  ///   - load: asks the origin.
  public func result(
    for key: Key, strategy: CacheStrategy? = nil, load: @escaping Loader
  ) async -> CacheResult<Value> {
    let strategy = strategy ?? configuration.strategy
    if Task.isCancelled { return .failure(CancellationError()) }
    var asking = Asking(key: key, strategy: strategy)
    if strategy != .fetch, let front {
      // Before the get, which may remove it.
      if strategy == .cacheThenFetch { asking.expired = memory?.expired(key)?.value }
      let held = front._withUnsafeGuaranteedRef { $0.value(for: key) }
      if let held, let hit = try? hit(held, key) {
        if strategy != .cacheThenFetch || !needsRefresh(hit) { return .hit(hit) }
        asking.known = hit
      }
      asking.asksMemory = false
    }
    switch await begin(asking, load).next {
    case .answer(let result): return result
    case .wait(let flight): return await wait(key, for: flight)
    }
  }

  /// First the cached value, if any, and then the result of a refresh: the strategy
  /// `cacheThenFetch` with both results. The second is a `miss` with a new value, a `hit` if the
  /// cached value has not changed or is returned because the origin failed, `absent`, or a
  /// `failure`. While the first is younger than the origin's `maxAge`, there is no second. The
  /// request begins with the iteration, and ending that cancels it.
  public func updates(
    for key: Key, load: @escaping Loader
  ) -> AsyncStream<CacheResult<Value>> {
    let updates = HybridUpdates<Value> { continuation in
      let task = Task {
        await self.sendUpdates(for: key, load: load) { _ = continuation.yield($0) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
    return AsyncStream(unfolding: { await updates.next() })
  }

  /// Sends what `updates` is made of, and ends after the last.
  package func sendUpdates(
    for key: Key, load: @escaping Loader, to send: (CacheResult<Value>) -> Void
  ) async {
    let asking = Asking(key: key, strategy: .cacheThenFetch, waitsForRefresh: true)
    let beginning = await begin(asking, load)
    if let hit = beginning.hit { send(.hit(hit)) }
    switch beginning.next {
    case .answer(let result): if beginning.hit == nil { send(result) }
    case .wait(let flight): send(await wait(key, for: flight))
    }
  }

  /// Fetches the values of keys that the cache does not have, for example when an app starts.
  ///
  /// - Parameters:
  ///   - keys: the keys; they are started in this order.
  ///   - concurrency: maximum number of concurrent requests; at least one.
  ///   - progress: called after each key, one call at a time.
  ///   - load: asks the origin.
  /// - Returns: the progress. If the task is cancelled, that of the keys done until then.
  @discardableResult
  public func prewarm(
    _ keys: some Sequence<Key> & Sendable, concurrency: Int = 4,
    progress: @Sendable (PrewarmProgress) -> Void = { _ in }, load: @escaping Loader
  ) async -> PrewarmProgress {
    let keys = Array(keys)
    var state = PrewarmProgress(total: keys.count)
    await withTaskGroup(of: CacheResult<Value>.self) { group in
      var next = 0
      func begin() {
        guard next < keys.count, !Task.isCancelled else { return }
        let key = keys[next]
        next += 1
        group.addTask { await self.result(for: key, strategy: .cacheElseFetch, load: load) }
      }
      for _ in 0..<min(max(1, concurrency), keys.count) { begin() }
      while let result = await group.next() {
        state.count(result)
        progress(state)
        begin()
      }
    }
    return state
  }
}
