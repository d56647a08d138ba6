import LarderEngine

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
  @usableFromInline
  @inline(never)
  func revokeAbsence(of key: Key) { loads.revokeAbsence(of: key) }

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
