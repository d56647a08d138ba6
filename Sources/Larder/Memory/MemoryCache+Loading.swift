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

/// Reloading in the background what is still answered.
extension MemoryCache {
  /// Whether the value of a key is old enough to be reloaded, and nobody is doing so.
  func isDue(_ key: Key) -> Bool {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    return withShard(blocks.index(hash)) { shard, _ in
      let now = clock.nowMicroseconds
      return shard.isDue(key, upper, before: refreshInstant(now), now: now)
    }
  }

  /// The value of a key that has expired and may be answered all the same; it is reloaded in the
  /// background.
  func staleValue(_ key: Key, _ loader: MemoryLoader<Key, Value>) -> Value? {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let stale = withShard(blocks.index(hash)) { shard, _ in
      shard.stale(key, upper, life: staleLife, now: clock.nowMicroseconds)
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
      let now = clock.nowMicroseconds
      return shard.beginRefresh(key, upper, before: refreshInstant(now), now: now)
    }
    // Another request may have reloaded or set it between the two looks. If it is gone, somebody
    // may have come to wait for this load already.
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

  /// Ends a reload: an entry that it has not replaced may be reloaded again.
  func endRefresh(_ key: Key, _ stamp: UInt32, _ pending: MemoryLoad<Value>) {
    let hash = hasher.hash(key)
    withShard(blocks.index(hash)) { shard, _ in
      // If its key was removed, an entry that is being reloaded is one for another load.
      guard pending.mayStore else { return }
      shard.endRefresh(key, UInt32(truncatingIfNeeded: hash >> 32), stamp)
    }
  }

  /// Values stored before this instant are to be reloaded; 0 where none are.
  private func refreshInstant(_ now: UInt64) -> UInt64 {
    guard let refreshAge, now > refreshAge else { return 0 }
    return now - refreshAge
  }
}

/// Remembering that the origin has no value for a key.
extension MemoryCache {
  /// The value of a key, or nil if the origin has none, which is remembered for `negativeLife`:
  /// until then the origin is not asked again.
  ///
  ///     let user = try await cache.value(for: id, negativeLife: .seconds(30)) { id in
  ///       try await database.user(id)  // nil if there is none
  ///     }
  ///
  /// Otherwise as `value(for:load:)`. Keys without a value do not count against the limits of the
  /// cache: up to `MemoryCacheConfiguration.negativeCount` of them are remembered beside it, and
  /// SIEVE chooses which are forgotten. A set or a removal of a key forgets at once that it has
  /// none, as do `removeAll` and memory pressure. `value(for:load:)` without `negativeLife` and
  /// `value(for:)` do not ask what is remembered. From the first such request, sets and removals of
  /// this cache look up what is remembered of their key, which takes a lock; gets do not.
  ///
  /// If a value that is reloaded in the background is gone from the origin, it is removed.
  ///
  /// - Parameters:
  ///   - negativeLife: How long it is remembered that there is no value; with zero or less not at
  ///     all. That of the request that started a load counts.
  ///   - weight: What the value counts against `limits.weight`; see `set`.
  ///   - timeToLive: How long the value may be used; see `value(for:load:)`.
  ///   - fetchCost: What loading it again would cost, for policies that ask; see `set`.
  ///   - load: Asks the origin; nil if it has no value.
  /// - Throws: What `load` throws, `CancellationError`, or `MemoryLoadError`.
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

  /// Begins to remember keys without a value, and to hear of every set. Before a load begins, the
  /// lock of its key's shard is taken: a set that comes after that sees that it has to tell.
  private func rememberAbsences() {
    if loads.absences != nil { return }
    // First: who sees that absences are remembered relies on it.
    #if LARDER_SCHEDULES
      defer { events.watchChanges() }
      if ScheduleFault.planted != .lateWatch { events.watchChanges() }
    #else
      events.watchChanges()
    #endif
    loads.rememberAbsences {
      var wanted = MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: configuration.negativeCount), policy: "sieve")
      wanted.clock = configuration.clock
      wanted.hashing = configuration.hashing
      // One shard for each thousand, and a count that `check` has seen: it cannot fail.
      do throws(MemoryCacheError) {
        return try MemoryCache<Key, MemoryAbsence>(wanted)
      } catch {
        preconditionFailure("the cache of absent keys: \(error)")
      }
    }
  }

  /// A key is being set or removed, and the lock of its shard is held.
  @usableFromInline @inline(never) func revokeAbsence(of key: Key) { loads.revokeAbsence(of: key) }

  /// Remembers that a load has found no value, unless its key was set or removed meanwhile.
  func rememberAbsence(of key: Key, for life: Duration, _ load: MemoryLoad<Value>) {
    guard life > .zero, let absences = loads.absences else { return }
    let absence = MemoryAbsence()
    #if LARDER_SCHEDULES
      let isEarly = ScheduleFault.planted == .earlyAbsence
      if isEarly { absence.confirm() }
      guard isEarly || load.mayStore else { return }
    #else
      // Another load of the key may have found the same by now.
      guard load.mayStore else { return }
    #endif
    absences.set(absence, for: key, timeToLive: life)
    let isConfirmed = withShard(blocks.index(hasher.hash(key))) { _, _ in
      guard load.mayStore else { return false }
      absence.confirm()
      return true
    }
    if !isConfirmed { absences.remove(key) }
  }
}
