import LarderEngine
public import Synchronization

/// Running loads of a memory cache, at most one per key.
///
/// One lock covers all keys: it is taken by requests that missed, and loads take far longer. A
/// shard's lock may be held when it is taken, but not the other way round.
@usableFromInline final class MemoryLoads<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    var loads: [Key: MemoryLoad<Value>] = [:]
    var totals = MemoryLoadCounts()
  }

  private let state = Locked(State())
  /// Number of running loads; while it is zero, sets and removals skip the lock.
  @usableFromInline let underWay = Atomic(0)
  private let absenceCache = AtomicLazyReference<MemoryCache<Key, MemoryAbsence>>()
  /// Removals of all keys of each shard, while its lock is held.
  private let eras: [MemoryEra]
  /// Order of loads; nil if any number of them may run at once.
  let queue: LoadQueue?

  init(shards: Int, max: Int?) {
    queue = max.map { LoadQueue(max: $0) }
    eras = (0..<shards).map { _ in MemoryEra() }
  }

  var totals: MemoryLoadCounts { state.withLock { $0.totals } }

  /// Keys for which the origin has no value; nil until they are remembered.
  var absences: MemoryCache<Key, MemoryAbsence>? { absenceCache.load() }

  /// Starts remembering keys without a value, in a cache that one call of `make` creates.
  func rememberAbsences(_ make: () -> MemoryCache<Key, MemoryAbsence>?) {
    if let made = make() { _ = absenceCache.storeIfNil(made) }
  }

  /// True if any key is being loaded.
  ///
  /// Read with the lock of a shard held, which every load takes between its registration and the
  /// call of its loader: a load of a key of that shard that is not seen here asks the origin later.
  @inlinable @inline(__always) var areUnderWay: Bool { underWay.load(ordering: .acquiring) > 0 }

  /// Counts a request that was answered by a remembered missing value.
  func countAbsent() { state.withLock { $0.totals.negativeHits += 1 } }

  func resetTotals() { state.withLock { $0.totals = MemoryLoadCounts() } }

  /// Joins the load of a key, or registers a new one, which the caller must run and end. Nil if the
  /// current task belongs to the load of that key and would wait for itself.
  func join(_ key: Key) -> (load: MemoryLoad<Value>, isNew: Bool)? {
    state.withLock { state in
      isOwn(key, state) ? nil : join(key, nil, &state)
    }
  }

  /// Joins the loads of several keys, or registers new ones as parts of `leader`, which the caller
  /// must run and end.
  ///
  /// - Throws: `MemoryLoadError` if the current task belongs to the load of one of them; none is
  ///   joined then.
  func join(
    _ keys: [Key], _ leader: CacheFlight<Void>
  ) throws(MemoryLoadError) -> [(load: MemoryLoad<Value>, isNew: Bool)] {
    try state.withLock { (state) throws(MemoryLoadError) in
      if let own = keys.first(where: { isOwn($0, state) }) {
        throw .loadsItself(key: "\(own)")
      }
      return keys.map { join($0, leader, &state) }
    }
  }

  /// True if the current task belongs to the load of the key.
  private func isOwn(_ key: Key, _ state: State) -> Bool {
    state.loads[key]?.flight.mark.isOne(of: FetchMark.current) ?? false
  }

  private func join(
    _ key: Key, _ leader: CacheFlight<Void>?, _ state: inout State
  ) -> (load: MemoryLoad<Value>, isNew: Bool) {
    if let load = state.loads[key] {
      if load.flight.join() {
        state.totals.joined += 1
        return (load, false)
      }
      giveUp(load)
    } else {
      underWay.add(1, ordering: .acquiringAndReleasing)
    }
    let load = MemoryLoad<Value>(leader: leader)
    _ = load.flight.join()
    _ = leader?.join()
    state.loads[key] = load
    return (load, true)
  }

  /// Registers a load in the background as a part of `leader`, which the caller must run and end;
  /// nil if the key is being loaded.
  func begin(_ key: Key, _ leader: CacheFlight<Void>) -> MemoryLoad<Value>? {
    state.withLock { state in
      if let load = state.loads[key] {
        if !load.flight.isAbandoned { return nil }
        giveUp(load)
      } else {
        underWay.add(1, ordering: .acquiringAndReleasing)
      }
      let load = MemoryLoad<Value>(isBackground: true, leader: leader)
      state.loads[key] = load
      return load
    }
  }

  /// Abandons a load that nobody waits for, so that another one can be registered. Its loader may
  /// continue, but removals no longer find it, so its value must not be stored.
  private func giveUp(_ load: MemoryLoad<Value>) {
    load.forget()
  }

  func isLoading(_ key: Key) -> Bool { state.withLock { $0.loads[key] != nil } }

  func countRefresh() {
    state.withLock { state in
      state.totals.started += 1
      state.totals.refreshes += 1
    }
  }

  func countStale() { state.withLock { $0.totals.stale += 1 } }

  func count() { state.withLock { $0.totals.started += 1 } }

  /// Ends a load and resumes the waiting requests.
  ///
  /// - Parameter isNone: True if the origin was asked and has no value.
  /// - Parameter isFirst: False for all keys of a load but one, so that its failure counts once.
  func end(
    _ load: MemoryLoad<Value>, _ key: Key, _ result: CacheResult<Value>, isNone: Bool = false,
    isFirst: Bool = true
  ) {
    let waiters = state.withLock { state in
      if case .failure = result, isFirst { state.totals.failed += 1 }
      if isNone { state.totals.none += 1 }
      if state.loads[key] === load {
        state.loads[key] = nil
        underWay.subtract(1, ordering: .acquiringAndReleasing)
      }
      // Under the lock, so that no request joins it any more.
      return load.flight.finish(result, nil)
    }
    for waiter in waiters { waiter.resume(returning: result) }
  }

  /// Invalidates the load of a key that is set or removed: its value will not be stored, and later
  /// requests load again.
  ///
  /// The lock of the key's shard is held. Otherwise a load could begin between this call and the
  /// removal, fetch a value older than the set, and store it after both.
  @usableFromInline func forget(_ key: Key) {
    ScheduledStep.take()
    guard areUnderWay else { return }
    state.withLock { state in
      guard let load = state.loads.removeValue(forKey: key) else { return }
      load.forget()
      underWay.subtract(1, ordering: .acquiringAndReleasing)
    }
  }

  /// Invalidates the loads of all keys for which `isRemoved` returns true.
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

/// Keys for which the origin has no value.
extension MemoryLoads {
  /// True if the key is known to have no value.
  func isAbsent(_ key: Key) -> Bool { absences?.value(for: key)?.isKnown ?? false }

  /// Marks the missing value of a key as outdated. The key is being set or removed, and the lock of
  /// its shard is held. The key itself stays until `forgetAbsence`, because its deinitialiser may
  /// call the cache.
  func revokeAbsence(of key: Key) {
    absences?.peek(key)?.revoke()
  }

  /// Marks the missing values of all keys of a shard, whose lock is held, as outdated; their loads
  /// are invalidated already. O(1).
  func revokeAbsences(ofShard index: Int) {
    eras[index].number.wrappingAdd(1, ordering: .sequentiallyConsistent)
  }

  /// The era of a shard's missing values.
  func era(ofShard index: Int) -> MemoryEra { eras[index] }

  /// Forgets the missing value of a key that was set or removed.
  func forgetAbsence(_ key: Key) { absences?.remove(key) }
}

/// A running load of a memory cache.
final class MemoryLoad<Value: Sendable>: Sendable {
  let flight: CacheFlight<Value>
  private let isWanted = Atomic(true)

  /// Creates a load, one of several keys if it has a leader; a background load continues without
  /// waiting requests.
  init(isBackground: Bool = false, leader: CacheFlight<Void>? = nil) {
    flight = CacheFlight(candidate: nil, isBackground: isBackground, leader: leader)
  }

  /// True until the key is set or removed: the result, a value or none, may be stored.
  var mayStore: Bool {
    ScheduledStep.take()
    return isWanted.load(ordering: .acquiring)
  }

  func forget() { isWanted.store(false, ordering: .sequentiallyConsistent) }
}

/// Load function of a request for one key, and storage parameters.
struct MemoryLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  let load: @Sendable (Key) async throws -> Value?
  let storage: LoadedStorage<Key, Value>

  init(
    _ storage: LoadedStorage<Key, Value>, _ load: @escaping @Sendable (Key) async throws -> Value?
  ) {
    self.storage = storage
    self.load = load
  }

  init(
    _ weight: (@Sendable (Value) -> Int)?,
    _ timeToLive: @escaping @Sendable (Value) -> Duration?, _ fetchCost: Float,
    _ negativeLife: Duration?, _ load: @escaping @Sendable (Key) async throws -> Value?
  ) {
    var weigh: (@Sendable (Key, Value) -> Int)?
    if let weight { weigh = { weight($1) } }
    self.init(
      LoadedStorage(weigh, { timeToLive($1) }, { _, _ in fetchCost }, negativeLife), load)
  }

  var ofMany: MemoryBulkLoader<Key, Value> {
    MemoryBulkLoader(storage: storage) { [load] keys in
      var values: [Key: Value] = [:]
      for key in keys { values[key] = try await load(key) }
      return values
    }
  }
}

/// Load function of a request for several keys, and storage parameters.
struct MemoryBulkLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  let storage: LoadedStorage<Key, Value>
  let load: @Sendable ([Key]) async throws -> [Key: Value]
}

/// Storage parameters of loaded values.
struct LoadedStorage<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// Time for which a missing value is remembered; nil if it is not.
  let negativeLife: Duration?
  /// Parameters of a value; nil if it must not be stored. Receives the cache's functions for values
  /// without a weight or a lifetime.
  let entry:
    @Sendable (
      Key, Value, (@Sendable (Value) -> Int)?, (@Sendable (Key, Value) -> Duration?)?
    ) -> MemoryEntry?

  init(
    _ weight: (@Sendable (Key, Value) -> Int)?,
    _ timeToLive: @escaping @Sendable (Key, Value) -> Duration?,
    _ fetchCost: @escaping @Sendable (Key, Value) -> Float, _ negativeLife: Duration?
  ) {
    self.negativeLife = negativeLife
    entry = { key, value, weighOfCache, timeToLiveOfCache in
      let life = timeToLive(key, value) ?? timeToLiveOfCache?(key, value)
      if let life, life <= .zero { return nil }
      return MemoryEntry(
        cost: weight?(key, value) ?? weighOfCache?(value) ?? 1, timeToLive: life,
        fetchCost: fetchCost(key, value), isPermanent: false)
    }
  }
}

/// Order of the loads of a cache that runs only some of them at the same time.
///
/// A loader that waits for another load of the cache would keep its turn for ever if that load had
/// to wait for one. So a load that is requested by the loader of a running load does not wait, nor
/// does one that such a loader joins.
final class LoadQueue: Sendable {
  private typealias Waiting = (mark: FetchMark, continuation: CheckedContinuation<Bool, Never>)

  private struct State {
    var running: Set<ObjectIdentifier> = []
    var waiting: [Int: Waiting] = [:]
    /// Numbers of the last load that was taken out in order, and of the last one that came to wait.
    /// Given in the step that adds a load, so that none comes to wait behind `first`.
    var (first, last) = (0, 0)

    /// Returns true if the current task works for a load that runs.
    var isCalledByLoader: Bool {
      FetchMark.current.contains { running.contains(ObjectIdentifier($0)) }
    }

    /// Takes out the load that has waited longest, and counts it as running; the caller resumes it.
    /// Nil if none waits. Amortised O(1).
    mutating func startNext() -> Waiting? {
      while first < last {
        first += 1
        guard let load = waiting.removeValue(forKey: first) else { continue }
        running.insert(ObjectIdentifier(load.mark))
        return load
      }
      return nil
    }

    /// Takes out a load that waits; nil if it does not. O(waiting loads).
    mutating func remove(_ mark: FetchMark) -> Waiting? {
      waiting.firstIndex { $0.value.mark === mark }.map { waiting.remove(at: $0).value }
    }
  }

  private let state = Locked(State())
  private let max: Int

  var waitingCount: Int { state.withLock { $0.waiting.count } }

  init(max: Int) { self.max = max }

  /// Waits until a load may run; `leave` ends it.
  ///
  /// - Throws: `CancellationError` if the load's task is cancelled before.
  func enter(_ mark: FetchMark, isBackground: Bool) async throws {
    let mayRun = await withTaskCancellationHandler {
      await withCheckedContinuation { enlist(mark, $0, isBackground: isBackground) }
    } onCancel: {
      state.withLock { $0.remove(mark) }?.continuation.resume(returning: false)
    }
    if !mayRun { throw CancellationError() }
  }

  private func enlist(
    _ mark: FetchMark, _ continuation: CheckedContinuation<Bool, Never>, isBackground: Bool
  ) {
    ScheduledStep.take()
    let mayRun: Bool? = state.withLock { state in
      if Task.isCancelled { return false }
      let isUrgent =
        mark.isUrgent.load(ordering: .relaxed) || !isBackground && state.isCalledByLoader
      if isUrgent || state.running.count < max {
        state.running.insert(ObjectIdentifier(mark))
        return true
      }
      state.last += 1
      state.waiting[state.last] = (mark, continuation)
      return nil
    }
    if let mayRun { continuation.resume(returning: mayRun) }
  }

  /// Ends a load and starts those that may run now.
  func leave(_ mark: FetchMark) {
    let started = state.withLock { state in
      state.running.remove(ObjectIdentifier(mark))
      var started: [Waiting] = []
      while state.running.count < max, let next = state.startNext() { started.append(next) }
      return started
    }
    for load in started { load.continuation.resume(returning: true) }
  }

  /// Lets a load run at once if the current task, which joins it, works for a load that runs.
  func hurry(_ mark: FetchMark) {
    if FetchMark.current.isEmpty { return }
    let started: Waiting? = state.withLock { state in
      guard state.isCalledByLoader else { return nil }
      mark.isUrgent.store(true, ordering: .relaxed)
      guard let load = state.remove(mark) else { return nil }
      state.running.insert(ObjectIdentifier(mark))
      return load
    }
    started?.continuation.resume(returning: true)
  }
}

/// One of the keys that a load fetches.
struct MemoryLoadItem<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  let key: Key
  let load: MemoryLoad<Value>
  /// Stamp of the entry that is being reloaded; nil if there is none.
  var stamp: UInt32?
}

/// Record that the origin has no value for a key.
///
/// It is valid from the moment a load has checked, with the lock of the key's shard held, that
/// nobody set or removed the key meanwhile, until the next set or removal of the key, which holds
/// that lock, too. So no request learns that there is no value after another one received a value,
/// or started to load it again.
final class MemoryAbsence: Sendable {
  private static let unknown = UInt64.max
  private let era: MemoryEra
  // Number of the era in which it is valid.
  private let number = Atomic(unknown)

  init(_ era: MemoryEra) { self.era = era }

  /// True while it may answer requests.
  var isKnown: Bool {
    number.load(ordering: .acquiring) == era.number.load(ordering: .acquiring)
  }

  /// Makes the record valid; the lock of the key's shard is held.
  func confirm() {
    number.store(era.number.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
  }

  /// Invalidates the record because the key is being set or removed; the lock of its shard is held.
  func revoke() { number.store(Self.unknown, ordering: .sequentiallyConsistent) }
}

/// Period between two removals of all keys of a shard, which end the validity of its absences. The
/// number changes with the lock of the shard held.
final class MemoryEra: Sendable {
  let number = Atomic<UInt64>(0)
}

/// Counts of `MemoryCache.value(for:load:)` and `MemoryCache.values(for:load:)` since the cache was
/// created or its statistics were reset.
public struct MemoryLoadCounts: Sendable, Hashable, Codable {
  /// Loads started: calls of a loader, for one key or several.
  public var started: UInt64 = 0
  /// Requests for a key that waited for a load that another request had started.
  public var joined: UInt64 = 0
  /// Loads that ended with an error, including those cancelled because nobody waited for them any
  /// more.
  public var failed: UInt64 = 0
  /// Loads started to refresh a value in the background.
  public var refreshes: UInt64 = 0
  /// Requests that got an expired value; see `MemoryCacheConfiguration.staleWhileRevalidate`.
  public var stale: UInt64 = 0
  /// Keys for which a load found no value; see `MemoryCache.value(for:negativeLife:load:)`.
  public var none: UInt64 = 0
  /// Requests for a key that were answered by a remembered missing value.
  public var negativeHits: UInt64 = 0

  /// Creates counts that are all zero.
  public init() {}
}

/// Error of a load that was not started or was cancelled by the cache.
public enum MemoryLoadError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The loader of a key requested the same key from the cache, and would have waited for itself.
  case loadsItself(key: String)
  /// A reload of the key took longer than `MemoryCacheConfiguration.refreshTimeout`.
  case refreshTimedOut(key: String)
  /// A load of the key took longer than `MemoryCacheConfiguration.loadTimeout`.
  case timedOut(key: String)
  /// A load of the key waited because of `MemoryCacheConfiguration.loadsMax` for longer than its
  /// time limit, `loadTimeout` or `refreshTimeout`; its loader was not called.
  case waitTimedOut(key: String)
  /// The origin has no value for the key of a `LoadingMemoryCache`.
  case absent(key: String)

  /// The error in one line of text.
  public var description: String {
    switch self {
    case .loadsItself(let key):
      "memory cache: the loader of '\(key)' requests its own key from the cache and would wait "
        + "for itself; call the origin instead"
    case .refreshTimedOut(let key):
      "memory cache: the reload of '\(key)' did not end within refreshTimeout and was cancelled"
    case .timedOut(let key):
      "memory cache: the load of '\(key)' did not end within loadTimeout and was cancelled"
    case .waitTimedOut(let key):
      "memory cache: the load of '\(key)' did not begin within its time limit, because loadsMax "
        + "other loads were running"
    case .absent(let key):
      "memory cache: the loader has no value for '\(key)'"
    }
  }
}
