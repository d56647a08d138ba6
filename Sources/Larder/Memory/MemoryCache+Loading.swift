import LarderEngine

extension MemoryCache {
  /// Returns the value of a key, and calls `load` if the cache has none.
  ///
  /// Concurrent requests for a key share one load and receive the same value or error. Errors are
  /// not stored: the next request loads again. A load is cancelled once all its requests are
  /// cancelled. If the key is set or removed during the load, or `removeAll` is called, the loaded
  /// value may be outdated: it is returned to the waiting requests and not stored. Later requests
  /// that find no value load again.
  ///
  /// With `MemoryCacheConfiguration.refreshAfterWrite` or `staleWhileRevalidate`, a value that is
  /// due for a refresh, or has expired, is returned at once and reloaded in the background. There
  /// is one such load per key, and it is not cancelled with the request. If it fails, the value is
  /// kept and the next request tries again.
  ///
  /// A loader may request other keys. The load runs in its own task, at the highest priority of the
  /// waiting requests, with the task-local values of the request that started it.
  ///
  /// A hit costs as much as `value(for:)`; `refreshAfterWrite` adds one look-up under the lock of a
  /// shard. `weight`, `timeToLive` and `fetchCost` are those of the request that started the load.
  ///
  /// - Parameters:
  ///   - weight: Weight of the value against `limits.weight`; see `set`.
  ///   - timeToLive: Lifetime of the value; nil for `limits.age`. A value with zero or less is
  ///     returned and not stored.
  ///   - fetchCost: Cost of loading the value again, for policies that use it; see `set`.
  /// - Throws: The error of `load`, `CancellationError`, or `MemoryLoadError`.
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
      // Nil only if another request started the load, with a loader that may find nothing.
      if let value = try await request(key, loader) { return value }
    }
  }

  /// Joins the load of a key or starts one, and waits for it.
  func request(_ key: Key, _ loader: MemoryLoader<Key, Value>) async throws -> Value? {
    guard let (pending, isNew) = loads.join(key) else {
      throw MemoryLoadError.loadsItself(key: "\(key)")
    }
    if isNew {
      // The load may have ended and stored its value between the two look-ups.
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

  /// Calls a loader, stores its value and resumes the waiting requests.
  ///
  /// - Parameter refreshed: Stamp of the entry that is being reloaded; nil if there is none.
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
      // Timed out; see `MemoryCacheConfiguration.refreshTimeout`.
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

  /// Stores a loaded value, unless the key was set or removed meanwhile, or has a value that the
  /// load must not replace. A reloaded value that may not be stored removes the value it would
  /// replace.
  private func storeLoaded(
    _ value: Value?, for key: Key, _ entry: MemoryEntry?, _ pending: MemoryLoad<Value>,
    isRefresh: Bool
  ) {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let watchedEntry: MemoryEntry? = withShard(blocks.index(hash)) { shard, gone in
      let now = clock.time
      // A set or removal invalidates the load under this lock: either it is seen here, or it runs
      // later and finds what is stored.
      guard pending.mayStore else { return nil }
      let replaces = isRefresh && shard.isRefreshing(key, upper)
      guard replaces || !shard.contains(key, upper, now: now) else { return nil }
      // The policy must see the expired entry's removal, as if the get had removed it.
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

/// Background refreshes of values that are still returned.
extension MemoryCache {
  /// True if a key's value is due for a refresh and nobody is reloading it.
  func isDue(_ key: Key) -> Bool {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    return withShard(blocks.index(hash)) { shard, _ in
      let now = clock.time
      return shard.isDue(key, upper, before: refreshInstant(now), now: now)
    }
  }

  /// Returns an expired value that may still be served, and reloads it in the background.
  func staleValue(_ key: Key, _ loader: MemoryLoader<Key, Value>) -> Value? {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let stale = withShard(blocks.index(hash)) { shard, _ in
      shard.stale(key, upper, life: staleLife, now: clock.time)
    }
    guard let stale else { return nil }
    loads.countStale()
    if !stale.isRefreshing { refresh(key, loader) }
    return stale.value
  }

  /// Reloads a key in the background, unless it is being loaded.
  func refresh(_ key: Key, _ loader: MemoryLoader<Key, Value>) {
    guard let pending = loads.begin(key) else { return }
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let stamp = withShard(blocks.index(hash)) { shard, _ in
      let now = clock.time
      return shard.beginRefresh(key, upper, before: refreshInstant(now), now: now)
    }
    // Another request may have reloaded or set it between the two look-ups. If the value is gone, a
    // request may already be waiting for this load.
    if stamp == nil, let value = peek(key) { return loads.end(pending, key, .miss(value)) }
    loads.countRefresh()
    pending.flight.launch { await self.run(pending, key, loader, refreshed: stamp) }
    guard let limit = configuration.refreshTimeout else { return }
    pending.flight.limit(to: limit) {
      if let stamp { self.endRefresh(key, stamp, pending) }
      pending.forget()
      self.loads.end(pending, key, .failure(MemoryLoadError.refreshTimedOut(key: "\(key)")))
    }
  }

  /// Ends a refresh; if it has not replaced the entry, the entry may be refreshed again.
  func endRefresh(_ key: Key, _ stamp: UInt32, _ pending: MemoryLoad<Value>) {
    let hash = hasher.hash(key)
    withShard(blocks.index(hash)) { shard, _ in
      // If the key was removed, an entry that is being reloaded belongs to another load.
      guard pending.mayStore else { return }
      shard.endRefresh(key, UInt32(truncatingIfNeeded: hash >> 32), stamp)
    }
  }

  /// Values stored before this time are due for a refresh; 0 if none are.
  private func refreshInstant(_ now: UInt64) -> UInt64 {
    guard let refreshAge, now > refreshAge else { return 0 }
    return now - refreshAge
  }
}

/// Negative caching: keys for which the origin has no value.
extension MemoryCache {
  /// Returns the value of a key, or nil if the origin has none. A missing value is remembered for
  /// `negativeLife`, during which the origin is not asked again.
  ///
  ///     let user = try await cache.value(for: id, negativeLife: .seconds(30)) { id in
  ///       try await database.user(id)  // nil if there is none
  ///     }
  ///
  /// Otherwise works like `value(for:load:)`. Keys without a value do not count against the limits
  /// of the cache: up to `MemoryCacheConfiguration.negativeCount` of them are remembered
  /// separately, with SIEVE as their eviction policy. Setting or removing a key forgets its missing
  /// value at once, as do `removeAll` and memory pressure. `value(for:)`, and `value(for:load:)`
  /// without `negativeLife`, do not look up missing values. From the first request with
  /// `negativeLife` on, sets and removals of this cache look up the missing value of their key
  /// under a lock; gets do not.
  ///
  /// If the origin no longer has a value that is reloaded in the background, the value is removed.
  ///
  /// - Parameters:
  ///   - negativeLife: Time for which a missing value is remembered; not at all if zero or less.
  ///     That of the request that started the load applies.
  ///   - weight: Weight of the value against `limits.weight`; see `set`.
  ///   - timeToLive: Lifetime of the value; see `value(for:load:)`.
  ///   - fetchCost: Cost of loading the value again, for policies that use it; see `set`.
  ///   - load: Asks the origin; returns nil if it has no value.
  /// - Throws: The error of `load`, `CancellationError`, or `MemoryLoadError`.
  public func value(
    for key: Key, negativeLife: Duration, weight: @escaping @Sendable (Value) -> Int = { _ in 1 },
    timeToLive: @escaping @Sendable (Value) -> Duration? = { _ in nil },
    fetchCost: Float = 1, load: @escaping @Sendable (Key) async throws -> Value?
  ) async throws -> Value? {
    if let value = value(for: key) {
      if refreshAge != nil, isDue(key) {
        rememberAbsences()
        refresh(key, MemoryLoader(weight, timeToLive, fetchCost, negativeLife, load))
      }
      return value
    }
    rememberAbsences()
    let loader = MemoryLoader<Key, Value>(weight, timeToLive, fetchCost, negativeLife, load)
    if staleLife > 0, let value = staleValue(key, loader) { return value }
    if loads.isAbsent(key) {
      loads.countAbsent()
      return nil
    }
    return try await request(key, loader)
  }

  /// Starts remembering keys without a value and watching every set. Takes the lock of the key's
  /// shard before a load begins, so that any later set sees that it must invalidate.
  private func rememberAbsences() {
    if loads.absences != nil { return }
    // Watched first: code that sees that absences are remembered relies on it.
    events.watchChanges()
    loads.rememberAbsences {
      var wanted = MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: configuration.negativeCount), policy: "sieve")
      wanted.clock = configuration.clock
      wanted.hashing = configuration.hashing
      // One shard per thousand; `check` has validated the count, so this cannot fail.
      do throws(MemoryCacheError) {
        return try MemoryCache<Key, MemoryAbsence>(wanted)
      } catch {
        preconditionFailure("cache of absent keys: \(error)")
      }
    }
  }

  /// Forgets that a key has no value. Called when the key is set or removed, with the lock of its
  /// shard held.
  @usableFromInline @inline(never) func revokeAbsence(of key: Key) { loads.revokeAbsence(of: key) }

  /// Records that a load found no value, unless its key was set or removed meanwhile.
  func rememberAbsence(of key: Key, for life: Duration, _ load: MemoryLoad<Value>) {
    guard life > .zero, let absences = loads.absences else { return }
    let absence = MemoryAbsence()
    // Another load of the key may have recorded it already.
    guard load.mayStore else { return }
    absences.set(absence, for: key, timeToLive: life)
    let isConfirmed = withShard(blocks.index(hasher.hash(key))) { _, _ in
      guard load.mayStore else { return false }
      absence.confirm()
      return true
    }
    if !isConfirmed { absences.remove(key) }
  }
}
