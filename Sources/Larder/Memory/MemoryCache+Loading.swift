import LarderEngine

extension MemoryCache {
  /// The value of a key, which `load` brings where the cache has none.
  ///
  /// However many tasks ask for a key at once, one of them loads it and the others wait for the
  /// same answer or error. An error is not stored: the next request loads again. A load whose
  /// requests have all been cancelled is cancelled, too. If a key is set or removed while it is
  /// loaded, or `removeAll` called, the loaded value is only handed to those who wait: it may be
  /// older. Requests that come later, and find no value, load anew.
  ///
  /// With `MemoryCacheConfiguration.refreshAfterWrite` or `staleWhileRevalidate`, a value that is
  /// due for reloading, or has expired, is returned at once and reloaded in the background: one
  /// load a key, which is not cancelled with the request. If it fails, the value is kept and the
  /// next request tries again.
  ///
  /// A loader may ask for other keys. The load runs in a task of its own, at the highest priority
  /// of those who wait, with the task-local values of the request that started it.
  ///
  /// A hit costs what `value(for:)` costs, with `refreshAfterWrite` one look under the lock of a
  /// shard more; the `weight`, `timeToLive` and `fetchCost` of the request that started a load are
  /// those that count.
  ///
  /// - Parameters:
  ///   - weight: What the value counts against `limits.weight`; see `set`.
  ///   - timeToLive: How long the value may be used; nil for as long as `limits.age`. A value with
  ///     zero or less is handed out and not stored.
  ///   - fetchCost: What loading it again would cost, for policies that ask; see `set`.
  /// - Throws: What `load` throws, `CancellationError`, or `MemoryLoadError`.
  public func value(
    for key: Key, weight: @escaping @Sendable (Value) -> Int = { _ in 1 },
    timeToLive: @escaping @Sendable (Value) -> Duration? = { _ in nil },
    fetchCost: Float = 1, load: @escaping @Sendable (Key) async throws -> Value
  ) async throws -> Value {
    if let value = value(for: key) {
      if refreshAge != nil, isDue(key) {
        refresh(key, MemoryLoader(weight, timeToLive, fetchCost, nil, load))
      }
      return value
    }
    let loader = MemoryLoader<Key, Value>(weight, timeToLive, fetchCost, nil, load)
    if staleLife > 0, let value = staleValue(key, loader) { return value }
    while true {
      // Nil only from a load of another request, whose loader may find nothing.
      if let value = try await request(key, loader) { return value }
    }
  }

  /// Joins the load of a key or starts one, and waits for it.
  func request(_ key: Key, _ loader: MemoryLoader<Key, Value>) async throws -> Value? {
    guard let (pending, isNew) = loads.join(key) else {
      throw MemoryLoadError.loadsItself(key: "\(key)")
    }
    if isNew {
      // It may have been stored, and its load ended, between the two looks.
      if let value = peek(key) {
        loads.end(pending, key, .miss(value))
        return value
      }
      if loader.negativeLife != nil, loads.isAbsent(key) {
        loads.countAbsent()
        loads.end(pending, key, .absent)
        return nil
      }
      loads.count()
      pending.flight.launch { await self.run(pending, key, loader) }
    }
    switch await pending.flight.wait() {
    case .miss(let value): return value
    case .failure(let error): throw error
    case .hit(let hit): return hit.value
    case .absent: return nil
    }
  }

  /// Calls a loader, stores what it brings, and tells those who wait.
  ///
  /// - Parameter refreshed: The stamp of the entry that is being reloaded; nil where there is none.
  func run(
    _ pending: MemoryLoad<Value>, _ key: Key, _ loader: MemoryLoader<Key, Value>,
    refreshed: UInt32? = nil
  ) async {
    let result: CacheResult<Value>
    var isNone = false
    do {
      let marks = FetchMark.current + [pending.flight.mark]
      let value = try await FetchMark.$current.withValue(marks) {
        try await loader.load(key)
      }
      // Too late: see `MemoryCacheConfiguration.refreshTimeout`.
      if pending.flight.isFinished { return }
      let entry = value.flatMap(loader.entry)
      if entry != nil || refreshed != nil {
        storeLoaded(value, for: key, entry, pending, isRefresh: refreshed != nil)
      }
      if value == nil, let life = loader.negativeLife {
        rememberAbsence(of: key, for: life, pending)
      }
      isNone = value == nil
      result = value.map { .miss($0) } ?? .absent
    } catch {
      if pending.flight.isFinished { return }
      result = .failure(error)
    }
    if let refreshed { endRefresh(key, refreshed, pending) }
    loads.end(pending, key, result, isNone: isNone)
  }

  /// Stores what was loaded, unless the key was set or removed meanwhile, or has a value by now
  /// that the load was not to replace. What was reloaded and may not be stored removes the value
  /// that it replaces.
  private func storeLoaded(
    _ value: Value?, for key: Key, _ entry: MemoryEntry?, _ pending: MemoryLoad<Value>,
    isRefresh: Bool
  ) {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let watchedEntry: MemoryEntry? = withShard(blocks.index(hash)) { shard, gone in
      let now = clock.nowMicroseconds
      // A set or removal forgets the load with this lock held: either it is seen here, or it finds
      // and replaces or removes what is stored.
      guard pending.mayStore else { return nil }
      let replaces = isRefresh && shard.isRefreshing(key, upper)
      guard replaces || !shard.contains(key, upper, now: now) else { return nil }
      // A policy is told what it would be told had the get removed it.
      if staleLife > 0 { _ = shard.removeExpired(key, upper, now: now, &gone) }
      guard let value, let entry else {
        if replaces { _ = shard.remove(key, upper, now: now, &gone) }
        return nil
      }
      let isWatched = events.watchesChanges(hash)
      if isWatched { revokeAbsence(of: key) }
      let stored = shard.set(
        key, upper, fingerprint: hasher.fingerprint(key, hash), value, entry, now: now, &gone)
      guard stored == .stored else { return nil }
      gone.note(.set, key)
      return isWatched ? entry : nil
    }
    if let watchedEntry { noteSet(key, hash, watchedEntry) }
  }
}
