import LarderEngine

extension MemoryCache {
  /// Returns the value of a key, and calls `load` if the cache has none.
  ///
  /// Concurrent requests for a key share one load, its value and its error; errors are not stored.
  /// A load is cancelled with its last request. If the key is set or removed during the load, the
  /// value is returned and not stored. A loader may request other keys, and has a task of its own.
  ///
  /// With `refreshAfterWrite` or `staleWhileRevalidate`, an old value is returned at once and
  /// reloaded in the background, once for all requests; if that fails, the value is kept.
  ///
  /// - Parameters:
  ///   - key: Key that is looked up, and passed to the loader.
  ///   - timeToLive: Lifetime of the value; nil for the cache's, zero or less to store nothing.
  ///   - fetchCost: Cost of loading the value again, for policies that use it.
  ///   - load: The loader, called if the cache has no value.
  /// - Throws: The error of `load`, `CancellationError`, or `LoadError`.
  public func value(
    for key: Key, timeToLive: @escaping @Sendable (Value) -> Duration? = { _ in nil },
    fetchCost: Float = 1, load: @escaping @Sendable (Key) async throws -> Value
  ) async throws -> Value {
    var found = value(for: key)
    if let found, refreshAge == nil || !isDue(key) { return found }
    // A key that is not equal to itself, such as NaN, is never found.
    if key != key { return try await load(key) }
    let loader = MemoryLoader<Key, Value>(nil, timeToLive, fetchCost, load)
    while true {
      // Nil only if another request started the load, with a loader that may find nothing.
      if let value = try await complete([(key, found)], loader)[key] { return value }
      found = nil
    }
  }

  /// Returns the value of a key, or nil if the origin has none, which is remembered for
  /// `negativeLife`, until the key is set or removed or memory is short, for up to 10,000 keys.
  /// Otherwise works like `value(for:load:)`.
  public func value(
    for key: Key, negativeLife: Duration,
    timeToLive: @escaping @Sendable (Value) -> Duration? = { _ in nil },
    fetchCost: Float = 1, load: @escaping @Sendable (Key) async throws -> Value?
  ) async throws -> Value? {
    let found = value(for: key)
    if let found, refreshAge == nil || !isDue(key) { return found }
    if key != key { return try await load(key) }
    let loader = MemoryLoader<Key, Value>(negativeLife, timeToLive, fetchCost, load)
    return try await complete([(key, found)], loader)[key]
  }

  /// Returns the values of several keys, without those that the origin does not have. `load` is
  /// called once for all keys that are missing and not being loaded. Otherwise works like
  /// `value(for:load:)`. The first error is thrown; values that were found or loaded until then
  /// stay in the cache.
  public func values(
    for keys: some Sequence<Key>, negativeLife: Duration? = nil,
    timeToLive: @escaping @Sendable (Key, Value) -> Duration? = { _, _ in nil },
    fetchCost: Float = 1, load: @escaping @Sendable ([Key]) async throws -> [Key: Value]
  ) async throws -> [Key: Value] {
    var seen: Set<Key> = []
    // A key that is not equal to itself has no value in a dictionary.
    let requests = keys.compactMap { key in
      key == key && seen.insert(key).inserted ? (key, value(for: key)) : nil
    }
    return try await complete(
      requests,
      MemoryLoader(
        negativeLife: negativeLife, timeToLive: timeToLive, fetchCost: fetchCost, load: load))
  }

  /// Reloads the value of a key in the background, unless it is being loaded or is permanent. The
  /// cached value is returned meanwhile, kept if the load fails, and removed if the origin has
  /// none.
  public func refresh(_ key: Key, load: @escaping @Sendable (Key) async throws -> Value?) {
    if key != key { return }
    refresh([key], MemoryLoader(nil, { _ in nil }, 1, load), isForced: true)
  }

  private func complete(
    _ requests: [(key: Key, found: Value?)], _ loader: MemoryLoader<Key, Value>
  ) async throws -> [Key: Value] {
    let isNegative = loader.negativeLife != nil
    if isNegative { rememberAbsences() }
    var values: [Key: Value] = [:]
    values.reserveCapacity(requests.count)
    var (missing, due): ([Key], [Key]) = ([], [])
    for (key, found) in requests {
      if let found {
        values[key] = found
        if refreshAge != nil, isDue(key) { due.append(key) }
      } else if staleLife > 0, let stale = staleValue(key) {
        values[key] = stale.value
        if !stale.isRefreshing { due.append(key) }
      } else if isNegative, loads.isAbsent(key) {
        loads.countAbsent()
      } else {
        missing.append(key)
      }
    }
    if !due.isEmpty { refresh(due, loader) }
    if !missing.isEmpty { try await request(missing, loader, &values) }
    return values
  }

  private func request(
    _ keys: [Key], _ loader: MemoryLoader<Key, Value>, _ found: inout [Key: Value]
  ) async throws {
    let leader = CacheFlight<Void>(candidate: nil, isBackground: false)
    let joined = try loads.join(keys, leader)
    var items: [MemoryLoadItem<Key, Value>] = []
    for (key, (pending, isNew)) in zip(keys, joined) {
      if !isNew {
        loads.queue?.hurry(pending.flight.mark)
      } else if let known = known(key, loader) {
        loads.end(pending, key, known, isAsked: false)
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

  /// Result of a load that need not call its loader: another load may have ended between the
  /// look-up and the registration. Nil if there is none.
  private func known(_ key: Key, _ loader: MemoryLoader<Key, Value>) -> CacheResult<Value>? {
    if let value = peek(key) { return .miss(value) }
    guard loader.negativeLife != nil, loads.isAbsent(key) else { return nil }
    loads.countAbsent()
    return .absent
  }

  private func launch(
    _ items: [MemoryLoadItem<Key, Value>], _ leader: CacheFlight<Void>,
    _ loader: MemoryLoader<Key, Value>
  ) {
    let isRefresh = leader.isBackground
    leader.launch(
      loads.queue, limit: configuration.loadTimeout ?? (isRefresh ? .seconds(60) : nil)
    ) {
      try await loader.load(items.map(\.key))
    } land: { end in
      for (number, item) in items.enumerated() {
        switch end {
        case .loaded(let values): self.end(item, values[item.key], loader)
        case .failed(let error): self.fail(item, error, isFirst: number == 0)
        case .timedOut(let hasBegun):
          let error = LoadError.timeOut("\(item.key)", hasBegun: hasBegun)
          self.fail(item, error, isFirst: number == 0)
        }
      }
    }
  }

  private func end(
    _ item: MemoryLoadItem<Key, Value>, _ value: Value?, _ loader: MemoryLoader<Key, Value>
  ) {
    let (key, pending) = (item.key, item.load)
    // Timed out.
    if pending.flight.isFinished { return }
    let entry = value.flatMap { self.entry(of: $0, for: key, loader) }
    if entry != nil || item.stamp != nil {
      storeLoaded(value, for: key, entry, pending, isRefresh: item.stamp != nil)
    }
    if value == nil, let life = loader.negativeLife { rememberAbsence(of: key, for: life, pending) }
    if let stamp = item.stamp { endRefresh(key, stamp, pending) }
    loads.end(pending, key, value.map { .miss($0) } ?? .absent)
  }

  private func fail(_ item: MemoryLoadItem<Key, Value>, _ error: any Error, isFirst: Bool) {
    if item.load.flight.isFinished { return }
    if let stamp = item.stamp { endRefresh(item.key, stamp, item.load) }
    // Before waiting requests get the error: the loader may still return a value.
    item.load.forget()
    loads.end(item.load, item.key, .failure(error), isFirst: isFirst)
  }

  private func entry(
    of value: Value, for key: Key, _ loader: MemoryLoader<Key, Value>
  ) -> MemoryEntry? {
    let life = loader.timeToLive(key, value) ?? timeToLive?(key, value)
    if let life, life <= .zero { return nil }
    return MemoryEntry(
      cost: weigh?(value) ?? 1, timeToLive: life, fetchCost: loader.fetchCost, isPermanent: false)
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
    var isRemoved = false
    let watchedEntry: MemoryEntry? = withShard(blocks.index(hash)) { shard, gone in
      let now = clock.time
      // A set or removal invalidates the load under this lock: either it is seen here, or it runs
      // later and finds what is stored.
      guard pending.mayStore else { return nil }
      let replaces = isRefresh && shard.isRefreshing(key, upper)
      guard replaces || shard.live(key, upper, now: now) == nil else { return nil }
      // The policy must see the expired entry's removal, as if the get had removed it.
      if staleLife > 0 { _ = shard.removeExpired(key, upper, now: now, &gone) }
      guard let value, let entry else {
        if replaces { _ = shard.remove(key, upper, now: now, &gone) }
        isRemoved = replaces
        return nil
      }
      let isWatched = events.watchesChanges(hash)
      if isWatched { revokeAbsence(of: key) }
      let stored = shard.set(
        key, upper, fingerprint: hasher.fingerprint(key, hash), value, entry, now: now, &gone)
      if stored == .stored { gone.note(.set, key) }
      return isWatched ? entry : nil
    }
    if let watchedEntry { noteSet(key, hash, watchedEntry) }
    if isRemoved, events.watchesChanges(hash) { noteRemoval(key, hash) }
  }
}

extension MemoryCache {
  func isDue(_ key: Key) -> Bool {
    withShard(of: key) { shard, hash, now, _ in
      shard.isDue(key, hash, before: refreshInstant(now), now: now)
    }
  }

  func staleValue(_ key: Key) -> (value: Value, isRefreshing: Bool)? {
    let stale = withShard(of: key) { shard, hash, now, _ in
      shard.stale(key, hash, life: staleLife, now: now)
    }
    if stale != nil { loads.countStale() }
    return stale
  }

  /// Reloads keys in the background, except those that are being loaded. `isForced` reloads values
  /// that are not due as well.
  func refresh(
    _ keys: [Key], _ loader: MemoryLoader<Key, Value>, isForced: Bool = false
  ) {
    let leader = CacheFlight<Void>(candidate: nil, isBackground: true)
    let items = keys.compactMap { beginRefresh($0, leader, isForced: isForced) }
    if items.isEmpty { return }
    loads.countRefresh()
    launch(items, leader, loader)
  }

  private func beginRefresh(
    _ key: Key, _ leader: CacheFlight<Void>, isForced: Bool
  ) -> MemoryLoadItem<Key, Value>? {
    guard let pending = loads.begin(key, leader) else { return nil }
    let stamp = withShard(of: key) { shard, hash, now, _ in
      shard.beginRefresh(key, hash, before: isForced ? .max : refreshInstant(now), now: now)
    }
    // Another request may have reloaded or set it between the two look-ups. If the value is gone, a
    // request may already be waiting for this load.
    if stamp == nil, let value = peek(key) {
      loads.end(pending, key, .miss(value), isAsked: false)
      return nil
    }
    return MemoryLoadItem(key: key, load: pending, stamp: stamp)
  }

  func endRefresh(_ key: Key, _ stamp: UInt32, _ pending: MemoryLoad<Value>) {
    withShard(of: key) { shard, hash, _, _ in
      // If the key was removed, an entry that is being reloaded belongs to another load.
      if pending.mayStore { shard.endRefresh(key, hash, stamp) }
    }
  }

  private func refreshInstant(_ now: UInt64) -> UInt64 {
    guard let refreshAge, now > refreshAge else { return 0 }
    return now - refreshAge
  }
}

extension MemoryCache {
  /// Starts remembering keys without a value and watching every set. Takes the lock of the key's
  /// shard before a load begins, so that any later set sees that it must invalidate.
  func rememberAbsences() {
    if loads.absences != nil { return }
    // Watched first: code that sees that absences are remembered relies on it.
    events.watchChanges()
    do throws(MemoryCacheError) {
      loads.rememberAbsences(
        try MemoryCache<Key, MemoryAbsence>(configuration.ofAbsences))
    } catch {
      preconditionFailure("cache of absent keys: \(error)")
    }
  }

  /// Forgets that a key has no value. Called when the key is set or removed, with the lock of its
  /// shard held.
  @usableFromInline @inline(never) func revokeAbsence(of key: Key) { loads.revokeAbsence(of: key) }

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
