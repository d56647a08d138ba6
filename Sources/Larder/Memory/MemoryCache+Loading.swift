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
  ///   - key: The key.
  ///   - weight: Weight of the value against `limits.weight`; nil for what the cache was made with.
  ///   - timeToLive: Lifetime of the value; nil for `limits.age`. A value with zero or less is
  ///     returned and not stored.
  ///   - fetchCost: Cost of loading the value again, for policies that use it; see `set`.
  ///   - load: Asks the origin.
  /// - Throws: The error of `load`, `CancellationError`, or `MemoryLoadError`.
  public func value(
    for key: Key, weight: (@Sendable (Value) -> Int)? = nil,
    timeToLive: @escaping @Sendable (Value) -> Duration? = { _ in nil },
    fetchCost: Float = 1, load: @escaping @Sendable (Key) async throws -> Value
  ) async throws -> Value {
    let value = value(for: key)
    if let value, refreshAge == nil { return value }
    let loader = MemoryLoader<Key, Value>(weight, timeToLive, fetchCost, nil, load)
    var isFirst = true
    while true {
      // Nil only if another request started the load, with a loader that may find nothing.
      if let value = try await complete(key, isFirst ? value : nil, loader) { return value }
      isFirst = false
    }
  }

  /// Completes a request for a key: reloads the value that it found if that is due, or loads it.
  /// Returns nil if the origin has none.
  func complete(
    _ key: Key, _ found: Value?, _ loader: MemoryLoader<Key, Value>
  ) async throws -> Value? {
    let isNegative = loader.storage.negativeLife != nil
    if let found {
      if refreshAge != nil, isDue(key) {
        if isNegative { rememberAbsences() }
        refresh([key], loader.ofMany)
      }
      return found
    }
    if isNegative { rememberAbsences() }
    if staleLife > 0, let stale = staleValue(key) {
      if !stale.isRefreshing { refresh([key], loader.ofMany) }
      return stale.value
    }
    if isNegative, loads.isAbsent(key) {
      loads.countAbsent()
      return nil
    }
    return try await request(key, loader)
  }

  private func request(_ key: Key, _ loader: MemoryLoader<Key, Value>) async throws -> Value? {
    guard let (pending, isNew) = loads.join(key) else {
      throw MemoryLoadError.loadsItself(key: "\(key)")
    }
    if isNew {
      if let known = known(key, loader.storage) {
        loads.end(pending, key, known)
        return known.value
      }
      loads.count()
      let item = MemoryLoadItem(key: key, load: pending)
      pending.flight.launch {
        let result: Result<Value?, any Error>
        do {
          result = .success(
            try await self.calling([item], pending.flight) { try await loader.load(key) })
        } catch {
          result = .failure(error)
        }
        self.end(item, result, loader.storage)
      }
    } else {
      loads.queue?.hurry(pending.flight.mark)
    }
    return try await pending.flight.wait().get()
  }

  /// Result of a load that need not call its loader: another load may have ended between the
  /// look-up and the registration. Nil if there is none.
  private func known(_ key: Key, _ storage: LoadedStorage<Key, Value>) -> CacheResult<Value>? {
    if let value = peek(key) { return .miss(value) }
    guard storage.negativeLife != nil, loads.isAbsent(key) else { return nil }
    loads.countAbsent()
    return .absent
  }

  /// Calls a loader for a load, once `loadsMax` allows it. A load that exceeds its time limit ends
  /// with an error for its keys.
  private func calling<Result: Sendable, Fetched>(
    _ items: [MemoryLoadItem<Key, Value>], _ flight: CacheFlight<Fetched>,
    _ load: @Sendable () async throws -> Result
  ) async throws -> Result {
    let isRefresh = flight.isBackground
    let limit = isRefresh ? configuration.refreshTimeout : configuration.loadTimeout
    return try await flight.calling(loads.queue, limit: limit, load) { hasBegun in
      for (number, item) in items.enumerated() {
        if let stamp = item.stamp { self.endRefresh(item.key, stamp, item.load) }
        item.load.forget()
        let key = "\(item.key)"
        let error: MemoryLoadError =
          !hasBegun
          ? .waitTimedOut(key: key) : isRefresh ? .refreshTimedOut(key: key) : .timedOut(key: key)
        self.loads.end(item.load, item.key, .failure(error), isFirst: number == 0)
      }
      // Without effect on the flight of a single key, which has its result already.
      _ = flight.finish(.absent, nil)
    }
  }

  /// Ends the load of a key: stores its value and resumes the waiting requests.
  ///
  /// - Parameter isFirst: False for all keys of a load but one.
  private func end(
    _ item: MemoryLoadItem<Key, Value>, _ loaded: Result<Value?, any Error>,
    _ storage: LoadedStorage<Key, Value>, isFirst: Bool = true
  ) {
    let (key, pending) = (item.key, item.load)
    // Timed out.
    if pending.flight.isFinished { return }
    let result: CacheResult<Value>
    switch loaded {
    case .success(let value):
      let entry = value.flatMap { storage.entry(key, $0, weigh, timeToLive) }
      if entry != nil || item.stamp != nil {
        storeLoaded(value, for: key, entry, pending, isRefresh: item.stamp != nil)
      }
      if value == nil, let life = storage.negativeLife {
        rememberAbsence(of: key, for: life, pending)
      }
      result = value.map { .miss($0) } ?? .absent
    case .failure(let error): result = .failure(error)
    }
    if let stamp = item.stamp { endRefresh(key, stamp, pending) }
    let isNone = if case .absent = result { true } else { false }
    loads.end(pending, key, result, isNone: isNone, isFirst: isFirst)
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

/// Loads of several keys at once.
extension MemoryCache {
  /// Returns the values of several keys, and calls `load` once for all keys that are missing.
  ///
  ///     let users = try await cache.values(for: ids) { missing in
  ///       try await database.users(missing)  // a dictionary; without the ids that do not exist
  ///     }
  ///
  /// Keys that are being loaded are not passed to `load`: the call waits for their loads, as a
  /// request for a single key waits for a load of several. Keys for which the origin has no value
  /// are missing in the result. With `negativeLife`, they are remembered: see
  /// `value(for:negativeLife:load:)`. Values of keys that were not asked for are ignored.
  ///
  /// An error of `load`, or of a load that the call waits for, is thrown; values that were found or
  /// loaded until then stay in the cache. The load is cancelled once all its requests are
  /// cancelled. A key that is set or removed during the load keeps what it has; the others are
  /// stored. Otherwise works like `value(for:load:)`; one load reloads all values that are due for
  /// a refresh or expired.
  ///
  /// - Parameters:
  ///   - keys: The keys; one that occurs several times counts as one request.
  ///   - negativeLife: Time for which missing values are remembered; nil to ask the origin again.
  ///   - weight: Weight of a value against `limits.weight`; nil for what the cache was made with.
  ///   - timeToLive: Lifetime of a value; nil for `limits.age`. A value with zero or less is
  ///     returned and not stored.
  ///   - fetchCost: Cost of loading a value again, for policies that use it; see `set`.
  ///   - load: Asks the origin for the keys that it receives, in the order of `keys`.
  /// - Throws: The error of `load`, `CancellationError`, or `MemoryLoadError`.
  public func values(
    for keys: some Sequence<Key>, negativeLife: Duration? = nil,
    weight: (@Sendable (Key, Value) -> Int)? = nil,
    timeToLive: @escaping @Sendable (Key, Value) -> Duration? = { _, _ in nil },
    fetchCost: @escaping @Sendable (Key, Value) -> Float = { _, _ in 1 },
    load: @escaping @Sendable ([Key]) async throws -> [Key: Value]
  ) async throws -> [Key: Value] {
    let storage = LoadedStorage<Key, Value>(weight, timeToLive, fetchCost, negativeLife)
    return try await values(for: keys, MemoryBulkLoader(storage: storage, load: load))
  }

  func values(
    for keys: some Sequence<Key>, _ loader: MemoryBulkLoader<Key, Value>
  ) async throws -> [Key: Value] {
    let isNegative = loader.storage.negativeLife != nil
    if isNegative { rememberAbsences() }
    var found: [Key: Value] = [:]
    found.reserveCapacity(keys.underestimatedCount)
    var (missing, due): ([Key], [Key]) = ([], [])
    var seen: Set<Key> = []
    for key in keys where seen.insert(key).inserted {
      if let value = value(for: key) {
        found[key] = value
        if refreshAge != nil, isDue(key) { due.append(key) }
      } else if staleLife > 0, let stale = staleValue(key) {
        found[key] = stale.value
        if !stale.isRefreshing { due.append(key) }
      } else if isNegative, loads.isAbsent(key) {
        loads.countAbsent()
      } else {
        missing.append(key)
      }
    }
    if !due.isEmpty { refresh(due, loader) }
    if !missing.isEmpty { try await request(missing, loader, &found) }
    return found
  }

  private func request(
    _ keys: [Key], _ loader: MemoryBulkLoader<Key, Value>, _ found: inout [Key: Value]
  ) async throws {
    let leader = CacheFlight<Void>(candidate: nil, isBackground: false)
    let joined = try loads.join(keys, leader)
    var items: [MemoryLoadItem<Key, Value>] = []
    for (key, (pending, isNew)) in zip(keys, joined) {
      if !isNew {
        loads.queue?.hurry(pending.flight.mark)
      } else if let known = known(key, loader.storage) {
        loads.end(pending, key, known)
        leader.leave()
      } else {
        items.append(MemoryLoadItem(key: key, load: pending))
      }
    }
    if !items.isEmpty {
      loads.count()
      launch(items, leader, loader)
    }
    for (index, key) in keys.enumerated() {
      switch await joined[index].load.flight.wait() {
      case .failure(let error):
        for (load, _) in joined[(index + 1)...] { load.flight.leave() }
        throw error
      case let result: found[key] = result.value
      }
    }
  }

  private func launch(
    _ items: [MemoryLoadItem<Key, Value>], _ leader: CacheFlight<Void>,
    _ loader: MemoryBulkLoader<Key, Value>
  ) {
    leader.launch {
      let result: Result<[Key: Value], any Error>
      do {
        result = .success(
          try await self.calling(items, leader) { try await loader.load(items.map(\.key)) })
      } catch {
        result = .failure(error)
      }
      for (number, item) in items.enumerated() {
        self.end(item, result.map { $0[item.key] }, loader.storage, isFirst: number == 0)
      }
      _ = leader.finish(.absent, nil)
    }
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

  /// Returns an expired value that may still be served, and whether it is being reloaded.
  func staleValue(_ key: Key) -> (value: Value, isRefreshing: Bool)? {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let stale = withShard(blocks.index(hash)) { shard, _ in
      shard.stale(key, upper, life: staleLife, now: clock.time)
    }
    if stale != nil { loads.countStale() }
    return stale
  }

  /// Reloads keys in the background, except those that are being loaded. `isForced` reloads values
  /// that are not due as well.
  func refresh(
    _ keys: [Key], _ loader: MemoryBulkLoader<Key, Value>, isForced: Bool = false
  ) {
    let leader = CacheFlight<Void>(candidate: nil, isBackground: true)
    let items = keys.compactMap { beginRefresh($0, leader, isForced: isForced) }
    if items.isEmpty { return }
    loads.countRefresh()
    launch(items, leader, loader)
  }

  /// Registers a load that reloads a key, and marks its entry; nil if it need not be reloaded.
  private func beginRefresh(
    _ key: Key, _ leader: CacheFlight<Void>, isForced: Bool
  ) -> MemoryLoadItem<Key, Value>? {
    guard let pending = loads.begin(key, leader) else { return nil }
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let stamp = withShard(blocks.index(hash)) { shard, _ in
      let now = clock.time
      return shard.beginRefresh(
        key, upper, before: isForced ? .max : refreshInstant(now), now: now)
    }
    // Another request may have reloaded or set it between the two look-ups. If the value is gone, a
    // request may already be waiting for this load.
    if stamp == nil, let value = peek(key) {
      loads.end(pending, key, .miss(value))
      return nil
    }
    return MemoryLoadItem(key: key, load: pending, stamp: stamp)
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
  ///   - key: The key.
  ///   - negativeLife: Time for which a missing value is remembered; not at all if zero or less.
  ///     That of the request that started the load applies.
  ///   - weight: Weight of the value against `limits.weight`; nil for what the cache was made with.
  ///   - timeToLive: Lifetime of the value; see `value(for:load:)`.
  ///   - fetchCost: Cost of loading the value again, for policies that use it; see `set`.
  ///   - load: Asks the origin; returns nil if it has no value.
  /// - Throws: The error of `load`, `CancellationError`, or `MemoryLoadError`.
  public func value(
    for key: Key, negativeLife: Duration, weight: (@Sendable (Value) -> Int)? = nil,
    timeToLive: @escaping @Sendable (Value) -> Duration? = { _ in nil },
    fetchCost: Float = 1, load: @escaping @Sendable (Key) async throws -> Value?
  ) async throws -> Value? {
    let value = value(for: key)
    if let value, refreshAge == nil { return value }
    return try await complete(
      key, value, MemoryLoader(weight, timeToLive, fetchCost, negativeLife, load))
  }

  /// Starts remembering keys without a value and watching every set. Takes the lock of the key's
  /// shard before a load begins, so that any later set sees that it must invalidate.
  func rememberAbsences() {
    if loads.absences != nil { return }
    // Watched first: code that sees that absences are remembered relies on it.
    events.watchChanges()
    loads.rememberAbsences {
      var wanted = MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: configuration.negativeCount), policy: "sieve",
        observesMemoryPressure: false)
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
    let index = blocks.index(hasher.hash(key))
    let absence = MemoryAbsence(loads.era(ofShard: index))
    // Another load of the key may have recorded it already.
    guard load.mayStore else { return }
    absences.set(absence, for: key, timeToLive: life)
    let isConfirmed = withShard(index) { _, _ in
      guard load.mayStore else { return false }
      absence.confirm()
      return true
    }
    if !isConfirmed { absences.remove(key) }
  }
}
