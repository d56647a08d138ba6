import LarderEngine

extension MemoryCache {
  /// The value of a key, which `load` brings where the cache has none.
  ///
  /// However many tasks ask for a key at once, one of them loads it and the others wait for the
  /// same answer or error. An error is not stored: the next request loads again. A load whose
  /// requests have all been cancelled is cancelled, too. While a key is loaded:
  ///
  /// - a value that is set is kept, and the loaded one only handed to those who wait;
  /// - if the key is removed, or `removeAll` called, the loaded value is not stored either, and
  ///   requests that come later load anew.
  ///
  /// A loader may ask for other keys. The load runs in a task of its own, at the highest priority
  /// of those who wait, with the task-local values of the request that started it.
  ///
  /// A hit costs what `get` costs; the `cost`, `timeToLive` and `fetchCost` of the request that
  /// started a load are those that count.
  ///
  /// - Parameters:
  ///   - cost: What the value counts against `limits.cost`; see `set`.
  ///   - timeToLive: How long the value may be used; nil for as long as `limits.age`. A value with
  ///     zero or less is handed out and not stored.
  ///   - fetchCost: What loading it again would cost, for policies that ask; see `set`.
  /// - Throws: What `load` throws, `CancellationError`, or `MemoryLoadError`.
  public func value(
    for key: Key, cost: @escaping @Sendable (Value) -> Int = { _ in 1 },
    timeToLive: @escaping @Sendable (Value) -> Duration? = { _ in nil },
    fetchCost: Float = 1, load: @escaping @Sendable (Key) async throws -> Value
  ) async throws -> Value {
    if let value = get(key) { return value }
    guard let (pending, isNew) = loads.join(key) else {
      throw MemoryLoadError.loadsItself(key: "\(key)")
    }
    if isNew {
      // It may have been stored, and its load ended, between the two looks.
      if let value = peek(key) {
        loads.end(pending, key, .miss(value))
        return value
      }
      loads.count()
      pending.flight.launch {
        await self.run(pending, key, load) { value in
          if let life = timeToLive(value), life <= .zero { return nil }
          return MemoryEntry(
            cost: cost(value), timeToLive: timeToLive(value), fetchCost: fetchCost,
            isPermanent: false)
        }
      }
    }
    switch await pending.flight.wait() {
    case .miss(let value): return value
    case .failure(let error): throw error
    case .hit(let hit): return hit.value
    case .absent: throw CancellationError()
    }
  }

  /// Calls a loader, stores what it brings, and tells those who wait.
  private func run(
    _ pending: MemoryLoad<Value>, _ key: Key, _ load: @Sendable (Key) async throws -> Value,
    _ entry: @Sendable (Value) -> MemoryEntry?
  ) async {
    let result: CacheResult<Value>
    do {
      let chain = MemoryLoadChain.current + [pending]
      let value = try await MemoryLoadChain.$current.withValue(chain) { try await load(key) }
      if let entry = entry(value) { storeLoaded(value, for: key, entry, pending) }
      result = .miss(value)
    } catch {
      result = .failure(error)
    }
    loads.end(pending, key, result)
  }

  /// Stores what was loaded, unless the key has a value by now or was removed meanwhile.
  private func storeLoaded(
    _ value: Value, for key: Key, _ entry: MemoryEntry, _ pending: MemoryLoad<Value>
  ) {
    let hash = hasher.hash(key)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let isStored = withShard(blocks.index(hash)) { shard, gone in
      // A removal forgets the load before it takes this lock: either it is seen here, or it finds
      // and removes what is stored.
      guard pending.mayStore, !shard.contains(key, upper, now: clock.nowMicroseconds) else {
        return false
      }
      let stored = shard.set(
        key, upper, fingerprint: hasher.fingerprint(key, hash), value, entry,
        now: clock.nowMicroseconds, &gone)
      if stored == .stored { gone.note(.set, key) }
      return stored == .stored
    }
    if isStored, events.watches(hash) { noteSet(key, hash, entry) }
  }
}
