import LarderEngine
public import Synchronization

/// Running loads of a memory cache, at most one per key.
///
/// One lock covers all keys: it is taken by requests that missed, and loads take far longer. A
/// shard's lock may be held when it is taken, but not the other way round.
@usableFromInline final class MemoryLoads<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct State {
    var loads: [Key: MemoryLoad<Value>] = [:]
    var totals = LoadStatistics()
  }

  private let state = Locked(State())
  @usableFromInline let underWay = Atomic(0)
  private let absenceCache = AtomicLazyReference<MemoryCache<Key, MemoryAbsence>>()
  /// Removals of all keys of each shard, while its lock is held.
  private let eras: [MemoryEra]
  let queue: LoadQueue?

  init(shards: Int, max: Int?) {
    queue = max.map { LoadQueue(max: $0) }
    eras = (0..<shards).map { _ in MemoryEra() }
  }

  var totals: LoadStatistics { state.withLock { $0.totals } }

  var absences: MemoryCache<Key, MemoryAbsence>? { absenceCache.load() }

  func rememberAbsences(_ made: MemoryCache<Key, MemoryAbsence>) {
    _ = absenceCache.storeIfNil(made)
  }

  /// True if any key is being loaded.
  ///
  /// Read with the lock of a shard held, which every load takes between its registration and the
  /// call of its loader: a load of a key of that shard that is not seen here asks the origin later.
  @inlinable @inline(__always) var areUnderWay: Bool { underWay.load(ordering: .acquiring) > 0 }

  func countAbsent() { state.withLock { $0.totals.negativeHits += 1 } }

  func resetTotals() { state.withLock { $0.totals = LoadStatistics() } }

  /// Joins the loads of several keys, or registers new ones as parts of `leader`, which the caller
  /// must run and end. Throws if the current task belongs to the load of one of them.
  func join(
    _ keys: [Key], _ leader: CacheFlight<Void>
  ) throws(LoadError) -> [(load: MemoryLoad<Value>, isNew: Bool)] {
    try state.withLock { (state) throws(LoadError) in
      for key in keys where state.loads[key]?.flight.mark.isOne(of: FetchMark.current) ?? false {
        throw .loadsItself(key: "\(key)")
      }
      return keys.map { join($0, leader, &state) }
    }
  }

  private func join(
    _ key: Key, _ leader: CacheFlight<Void>, _ state: inout State
  ) -> (load: MemoryLoad<Value>, isNew: Bool) {
    if let load = state.loads[key] {
      if load.flight.join() {
        state.totals.joined += 1
        return (load, false)
      }
    } else {
      underWay.add(1, ordering: .acquiringAndReleasing)
    }
    let load = MemoryLoad<Value>(leader: leader)
    _ = load.flight.join()
    _ = leader.join()
    state.loads[key] = load
    return (load, true)
  }

  func begin(_ key: Key, _ leader: CacheFlight<Void>) -> MemoryLoad<Value>? {
    state.withLock { state in
      if let load = state.loads[key] {
        if !load.flight.isAbandoned { return nil }
      } else {
        underWay.add(1, ordering: .acquiringAndReleasing)
      }
      let load = MemoryLoad<Value>(isBackground: true, leader: leader)
      state.loads[key] = load
      return load
    }
  }

  func isLoading(_ key: Key) -> Bool { state.withLock { $0.loads[key] != nil } }

  func countRefresh() {
    state.withLock { state in
      state.totals.started += 1
      state.totals.refreshes += 1
    }
  }

  func countStale() { state.withLock { $0.totals.staleWhileRevalidate += 1 } }

  func count() { state.withLock { $0.totals.started += 1 } }

  /// Ends a load and resumes the waiting requests.
  ///
  /// - Parameter isAsked: False if no loader was called.
  /// - Parameter isFirst: False for all keys of a load but one, so that its failure counts once.
  func end(
    _ load: MemoryLoad<Value>, _ key: Key, _ result: CacheResult<Value>, isAsked: Bool = true,
    isFirst: Bool = true
  ) {
    let waiters = state.withLock { state in
      switch result {
      case .failure(let error) where isFirst:
        state.totals.count(error, isBackground: load.flight.isBackground)
      case .absent where isAsked: state.totals.absent += 1
      case .hit, .miss, .absent, .failure: break
      }
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
    state.withLock { forget(key, &$0) }
  }

  func forget(where isRemoved: (Key) -> Bool) {
    guard areUnderWay else { return }
    state.withLock { state in
      for key in state.loads.keys where isRemoved(key) { forget(key, &state) }
    }
  }

  private func forget(_ key: Key, _ state: inout State) {
    guard let load = state.loads.removeValue(forKey: key) else { return }
    load.forget()
    if !load.flight.isAbandoned { state.totals.overtaken += 1 }
    underWay.subtract(1, ordering: .acquiringAndReleasing)
  }
}

extension MemoryLoads {
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

  func era(ofShard index: Int) -> MemoryEra { eras[index] }

  func forgetAbsence(_ key: Key) { absences?.remove(key) }
}

final class MemoryLoad<Value: Sendable>: Sendable {
  let flight: CacheFlight<Value>
  private let isWanted = Atomic(true)

  init(isBackground: Bool = false, leader: CacheFlight<Void>) {
    flight = CacheFlight(candidate: nil, isBackground: isBackground, leader: leader)
  }

  /// True until the key is set or removed, or the load is abandoned, after which another one may be
  /// registered that removals find in its place: the result, a value or none, may be stored.
  var mayStore: Bool {
    ScheduledStep.take()
    return isWanted.load(ordering: .acquiring) && !flight.isAbandoned
  }

  func forget() { isWanted.store(false, ordering: .sequentiallyConsistent) }
}

struct MemoryLoader<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  let negativeLife: Duration?
  let timeToLive: @Sendable (Key, Value) -> Duration?
  let fetchCost: Float
  let load: @Sendable ([Key]) async throws -> [Key: Value]
}

extension MemoryLoader {
  init(
    _ negativeLife: Duration?, _ timeToLive: @escaping @Sendable (Value) -> Duration?,
    _ fetchCost: Float, _ load: @escaping @Sendable (Key) async throws -> Value?
  ) {
    self.init(
      negativeLife: negativeLife, timeToLive: { timeToLive($1) }, fetchCost: fetchCost,
      load: { keys in
        var values: [Key: Value] = [:]
        for key in keys { values[key] = try await load(key) }
        return values
      })
  }
}

/// Order of the loads of a cache that runs only some of them at the same time. A load that the
/// loader of a running load requests or joins does not wait: that loader would keep its turn for
/// ever.
final class LoadQueue: Sendable {
  private typealias Waiting = (mark: FetchMark, continuation: CheckedContinuation<Bool, Never>)

  private struct State {
    var running: Set<ObjectIdentifier> = []
    var waiting: [Int: Waiting] = [:]
    /// Numbers of the last load that was taken out in order, and of the last one that came to wait.
    /// Given in the step that adds a load, so that none comes to wait behind `first`.
    var (first, last) = (0, 0)

    var isCalledByLoader: Bool {
      FetchMark.current.contains { running.contains(ObjectIdentifier($0)) }
    }

    mutating func startNext() -> Waiting? {
      while first < last {
        first += 1
        guard let load = waiting.removeValue(forKey: first) else { continue }
        running.insert(ObjectIdentifier(load.mark))
        return load
      }
      return nil
    }

    mutating func remove(_ mark: FetchMark) -> Waiting? {
      waiting.firstIndex { $0.value.mark === mark }.map { waiting.remove(at: $0).value }
    }
  }

  private let state = Locked(State())
  private let max: Int

  var waitingCount: Int { state.withLock { $0.waiting.count } }

  init(max: Int) { self.max = max }

  /// Waits until a load may run; `leave` ends it.
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

struct MemoryLoadItem<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  let key: Key
  let load: MemoryLoad<Value>
  var stamp: UInt32?
}

/// Record that the origin has no value for a key. It is valid from the moment a load has checked
/// that nobody changed the key meanwhile until the next set or removal, all with the lock of the
/// key's shard held: no request learns of it after another one received a value.
final class MemoryAbsence: Sendable {
  private static let unknown = UInt64.max
  private let era: MemoryEra
  // Number of the era in which it is valid.
  private let number = Atomic(unknown)

  init(_ era: MemoryEra) { self.era = era }

  var isKnown: Bool { number.load(ordering: .acquiring) == era.number.load(ordering: .acquiring) }

  func confirm() {
    number.store(era.number.load(ordering: .relaxed), ordering: .sequentiallyConsistent)
  }

  func revoke() { number.store(Self.unknown, ordering: .sequentiallyConsistent) }
}

/// Period between two removals of all keys of a shard, which end the validity of its absences. The
/// number changes with the lock of the shard held.
final class MemoryEra: Sendable {
  let number = Atomic<UInt64>(0)
}
