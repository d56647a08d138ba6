extension HybridCache {
  /// The value of a key, from the cache or from the origin as the strategy says.
  ///
  /// However many ask for a key at the same time, `load` is called once, and only one request's: a
  /// fetch that is under way is joined. A request that is cancelled ends at once; the fetch goes on
  /// for the others, and is cancelled with the last.
  ///
  /// - Parameters:
  ///   - strategy: nil for `configuration.strategy`.
  ///   - maxAge: how long what is fetched may be used; nil for as long as the cache's limits say.
  ///   - load: fetches the value.
  /// - Throws: what `load` throws, where nothing may stand in for the origin; `absent`, with
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

  /// What the cache or the origin has of a key, and which of them it was: `value` with everything
  /// that an origin may say. It is told the version that the cache has and may answer that this
  /// still holds, how long a value may be used, or that there is none.
  ///
  /// Where disk fails it counts as having nothing, and listeners are told.
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
      let held = front._withUnsafeGuaranteedRef { $0.get(key) }
      if let held, let hit = try? hit(held, key) {
        if strategy != .cacheThenFetch || !needsRefresh(hit) { return .hit(hit) }
        asking.known = hit
      }
      asking.asksMemory = false
    }
    asking.isOwnLoader = HybridFetchChain.contains(self, key: key.diskKey)
    switch await begin(asking, load).next {
    case .answer(let result): return result
    case .wait(let flight): return await wait(key, for: flight)
    }
  }

  /// First what the cache has, if anything, and then what a refresh brings: the strategy
  /// `cacheThenFetch` for somebody who wants both. The second is a `miss` with a new value, a `hit`
  /// where what the cache has still holds or stands in for a failure, `absent`, or a `failure`.
  /// There is no second while the first is younger than the origin's own `maxAge`. Who stops
  /// listening cancels their request for the refresh.
  public func updates(
    for key: Key, load: @escaping Loader
  ) -> AsyncStream<CacheResult<Value>> {
    AsyncStream { continuation in
      let task = Task {
        var asking = Asking(key: key, strategy: .cacheThenFetch, waitsForRefresh: true)
        asking.isOwnLoader = HybridFetchChain.contains(self, key: key.diskKey)
        let beginning = await begin(asking, load)
        if let hit = beginning.hit { continuation.yield(.hit(hit)) }
        switch beginning.next {
        case .answer(let result): if beginning.hit == nil { continuation.yield(result) }
        case .wait(let flight): continuation.yield(await wait(key, for: flight))
        }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Sees to it that the cache has the values of some keys, as before a journey or when an app
  /// starts: fetches what it does not have.
  ///
  /// - Parameters:
  ///   - keys: which; they are begun in this order.
  ///   - concurrency: at most so many are asked for at the same time; at least one is.
  ///   - progress: told after each key, one call at a time.
  ///   - load: asks the origin.
  /// - Returns: how it went. When the task is cancelled, the keys that were done until then.
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
