import LarderEngine
public import Synchronization

/// The loads of a memory cache that are under way, at most one a key.
///
/// One lock for all keys: it is taken by requests that missed, and loads take far longer. A shard's
/// lock may be held when it is taken, not the other way round.
@usableFromInline final class MemoryLoads<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    var loads: [Key: MemoryLoad<Value>] = [:]
    var totals = MemoryLoadCounts()
  }

  private let state = Locked(State())
  /// So that a set or a removal need not take the lock while nothing is loaded.
  @usableFromInline let underWay = Atomic(0)
  private let absenceCache = AtomicLazyReference<MemoryCache<Key, MemoryAbsence>>()

  /// What has happened so far.
  var totals: MemoryLoadCounts { state.withLock { $0.totals } }

  /// Keys of which the origin has said that it has no value; nil until they are remembered.
  var absences: MemoryCache<Key, MemoryAbsence>? { absenceCache.load() }

  /// Remembers keys without a value from now on, in what one call of `make` has made.
  func rememberAbsences(_ make: () -> MemoryCache<Key, MemoryAbsence>?) {
    if let made = make() { _ = absenceCache.storeIfNil(made) }
  }

  /// Whether a key is being loaded. Asked with the lock of a shard held, which every load takes
  /// between its registration and the call of its loader: one of a key of that shard that is not
  /// seen here asks the origin later.
  @inlinable @inline(__always) var areUnderWay: Bool { underWay.load(ordering: .acquiring) > 0 }

  /// A request was answered by remembering that there is no value.
  func countAbsent() { state.withLock { $0.totals.negativeHits += 1 } }

  /// Starts counting again.
  func resetTotals() { state.withLock { $0.totals = MemoryLoadCounts() } }

  /// Joins the load of a key, or registers a new one, which the caller then has to run and to end.
  /// Nil where the current task works for the load of the key, and would wait for itself.
  func join(_ key: Key) -> (load: MemoryLoad<Value>, isNew: Bool)? {
    state.withLock { state in
      if let load = state.loads[key] {
        if load.flight.mark.isOne(of: FetchMark.current) { return nil }
        #if LARDER_SCHEDULES
          if ScheduleFault.planted == .twoLoads { return newLoad(key, &state) }
        #endif
        if load.flight.join() {
          state.totals.joined += 1
          return (load, false)
        }
        giveUp(load)
      } else {
        underWay.add(1, ordering: .acquiringAndReleasing)
      }
      return newLoad(key, &state)
    }
  }

  private func newLoad(_ key: Key, _ state: inout State) -> (load: MemoryLoad<Value>, isNew: Bool) {
    let load = MemoryLoad<Value>()
    _ = load.flight.join()
    state.loads[key] = load
    return (load, true)
  }

  /// Registers a load in the background, which the caller then has to run and to end; nil where
  /// the key is being loaded.
  func begin(_ key: Key) -> MemoryLoad<Value>? {
    state.withLock { state in
      if let load = state.loads[key] {
        if !load.flight.isAbandoned { return nil }
        giveUp(load)
      } else {
        underWay.add(1, ordering: .acquiringAndReleasing)
      }
      let load = MemoryLoad<Value>(isBackground: true)
      state.loads[key] = load
      return load
    }
  }

  /// Another load takes the place of one that nobody waits for. Its loader may go on; it is no
  /// longer known to removals, so its value must not be stored.
  private func giveUp(_ load: MemoryLoad<Value>) {
    #if LARDER_SCHEDULES
      if ScheduleFault.planted == .abandonedLoadIsStored { return }
    #endif
    load.forget()
  }

  /// Whether a key is being loaded.
  func isLoading(_ key: Key) -> Bool { state.withLock { $0.loads[key] != nil } }

  /// A registered load in the background begins to ask for its value.
  func countRefresh() {
    state.withLock { state in
      state.totals.started += 1
      state.totals.refreshes += 1
    }
  }

  /// A request was answered with an expired value.
  func countStale() { state.withLock { $0.totals.stale += 1 } }

  /// A registered load begins to ask for its value.
  func count() { state.withLock { $0.totals.started += 1 } }

  /// Ends a load, and tells those who wait for it.
  ///
  /// - Parameter isNone: Whether the origin was asked and has no value.
  func end(
    _ load: MemoryLoad<Value>, _ key: Key, _ result: CacheResult<Value>, isNone: Bool = false
  ) {
    let waiters = state.withLock { state in
      if case .failure = result { state.totals.failed += 1 }
      if isNone { state.totals.none += 1 }
      if state.loads[key] === load {
        state.loads[key] = nil
        underWay.subtract(1, ordering: .acquiringAndReleasing)
      }
      // Under the lock: nobody joins it from here on.
      return load.flight.finish(result, nil)
    }
    for waiter in waiters { waiter.resume(returning: result) }
  }

  /// A key is being set or removed, and the lock of its shard is held: what is being loaded for it
  /// will not be stored, and later requests load anew. Without the shard's lock a load could begin,
  /// and bring what is older than a set, between this and the removal, and be stored after both.
  @usableFromInline func forget(_ key: Key) {
    #if LARDER_SCHEDULES
      ScheduledStep.take()
    #endif
    guard areUnderWay else { return }
    state.withLock { state in
      guard let load = state.loads.removeValue(forKey: key) else { return }
      #if LARDER_SCHEDULES
        if ScheduleFault.planted != .removedLoadIsStored { load.forget() }
      #else
        load.forget()
      #endif
      underWay.subtract(1, ordering: .acquiringAndReleasing)
    }
  }

  /// The same for all keys that `isRemoved` says.
  func forget(where isRemoved: (Key) -> Bool) {
    guard areUnderWay else { return }
    state.withLock { state in
      for (key, load) in state.loads where isRemoved(key) {
        load.forget()
        state.loads[key] = nil
        underWay.subtract(1, ordering: .acquiringAndReleasing)
      }
    }
  }
}

/// Keys of which the origin has said that it has no value.
extension MemoryLoads {
  /// Whether it is remembered that a key has no value.
  func isAbsent(_ key: Key) -> Bool { absences?.value(for: key)?.isKnown ?? false }

  /// A key is being set or removed, and the lock of its shard is held: that it has no value is no
  /// longer so. The key stays until `forgetAbsence`, for its end may run code that calls the cache.
  func revokeAbsence(of key: Key) {
    #if LARDER_SCHEDULES
      if ScheduleFault.planted == .lateForgetting { return }
    #endif
    absences?.peek(key)?.revoke()
  }

  /// The same for all keys that `isRemoved` says, whose loads are forgotten already. O(keys that
  /// are remembered). Returns copies of keys, which may end only when no lock is held.
  func revokeAbsences(where isRemoved: (Key) -> Bool) -> [Key] {
    guard let absences else { return [] }
    let keys = absences.keys
    for key in keys where isRemoved(key) { absences.peek(key)?.revoke() }
    return keys
  }

  /// A key was set or removed.
  func forgetAbsence(_ key: Key) { absences?.remove(key) }
}

/// A load of a memory cache that is under way.
final class MemoryLoad<Value: Sendable>: Sendable {
  /// Who waits for it, and its task.
  let flight: CacheFlight<Value>
  private let isWanted = Atomic(true)

  /// A load; one in the background goes on when nobody waits for it.
  init(isBackground: Bool = false) {
    flight = CacheFlight(candidate: nil, isBackground: isBackground)
  }

  /// Whether its value, or that there is none, may be stored: not once its key was set or removed.
  var mayStore: Bool {
    #if LARDER_SCHEDULES
      ScheduledStep.take()
    #endif
    return isWanted.load(ordering: .acquiring)
  }

  /// Its key was set or removed. Those who wait get the value all the same.
  func forget() { isWanted.store(false, ordering: .sequentiallyConsistent) }
}

/// How a request wants a value loaded and stored.
struct MemoryLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// Asks the origin.
  let load: @Sendable (Key) async throws -> Value?
  /// How long it is remembered that there is no value; nil for a loader that always has one.
  let negativeLife: Duration?
  /// How a value is stored; nil for one that is not.
  let entry: @Sendable (Value) -> MemoryEntry?

  init(
    _ cost: @escaping @Sendable (Value) -> Int,
    _ timeToLive: @escaping @Sendable (Value) -> Duration?, _ fetchCost: Float,
    _ negativeLife: Duration?, _ load: @escaping @Sendable (Key) async throws -> Value?
  ) {
    self.load = load
    self.negativeLife = negativeLife
    entry = { value in
      let life = timeToLive(value)
      if let life, life <= .zero { return nil }
      return MemoryEntry(
        cost: cost(value), timeToLive: life, fetchCost: fetchCost, isPermanent: false)
    }
  }
}

/// That the origin has no value for a key, as a load has found.
///
/// It counts from when the load has found, with the lock of the key's shard held, that nobody has
/// set or removed the key meanwhile, until the next set or removal of the key, which holds that
/// lock, too. So nobody is told that there is no value who comes after somebody who was given one,
/// or who has begun to load it anew.
final class MemoryAbsence: Sendable {
  private let counts = Atomic(false)

  /// Whether it is an answer to requests.
  var isKnown: Bool { counts.load(ordering: .acquiring) }

  /// It is an answer from now on; the lock of the key's shard is held.
  func confirm() { counts.store(true, ordering: .sequentiallyConsistent) }

  /// The key is being set or removed, and the lock of its shard is held.
  func revoke() { counts.store(false, ordering: .sequentiallyConsistent) }
}

/// What `MemoryCache.value(for:load:)` has done since the cache was made or its statistics were
/// reset.
public struct MemoryLoadCounts: Sendable, Hashable, Codable {
  /// Loads started: calls of a loader.
  public var started: UInt64 = 0
  /// Requests that waited for a load which another request had started.
  public var joined: UInt64 = 0
  /// Loads that ended with an error, those included that were cancelled because nobody waited for
  /// them any more.
  public var failed: UInt64 = 0
  /// Loads started that reload a value in the background.
  public var refreshes: UInt64 = 0
  /// Requests that got an expired value; see `MemoryCacheConfiguration.staleWhileRevalidate`.
  public var stale: UInt64 = 0
  /// Loads that found no value; see `MemoryCache.value(for:negativeLife:load:)`.
  public var none: UInt64 = 0
  /// Requests answered by remembering that there is no value.
  public var negativeHits: UInt64 = 0

  /// Nothing has happened yet.
  public init() {}
}

/// Why a memory cache did not call a loader.
public enum MemoryLoadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The loader of a key asked the cache for the same key, and would have waited for itself.
  case loadsItself(key: String)
  /// A reload of the key took longer than `MemoryCacheConfiguration.refreshTimeout`.
  case refreshTimedOut(key: String)

  /// One line for a person.
  public var description: String {
    switch self {
    case .loadsItself(let key):
      "memory cache: the loader of '\(key)' asks the cache for the same key and would wait for "
        + "itself; call the origin instead"
    case .refreshTimedOut(let key):
      "memory cache: the reload of '\(key)' did not end within refreshTimeout and was cancelled"
    }
  }
}
