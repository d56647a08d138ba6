import LarderEngine
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A running fetch and the requests that wait for it.
///
/// It has its own lock, which is held only briefly: a request that is cancelled does not wait for
/// the disk. The stripe's lock may be held when this one is taken, but not the other way round.
package final class CacheFlight<Value: Sendable>: Sendable {
  private struct State {
    /// Number of requests that want the result. When the last one is cancelled, so is the fetch,
    /// unless it is a refresh that nobody waits for.
    var interested = 0
    var waiters: [Int: CheckedContinuation<CacheResult<Value>, Never>] = [:]
    var nextWaiter = 0
    var cancelled: Set<Int> = []
    var isAbandoned = false
    var priority: TaskPriority?
    var task: Task<Void, Never>?
    /// Ends the fetch at its time limit, the last of `limits`.
    var timer: Task<Void, Never>?
    var limits = 0
    var isTimedOut = false
    var result: CacheResult<Value>?
    var data: Data?

    /// Ends the time limit with this number; returns the task to cancel, or nil if the fetch has
    /// ended or has another limit by now.
    mutating func timeOut(_ number: Int) -> Task<Void, Never>? {
      guard limits == number, result == nil else { return nil }
      isTimedOut = true
      return task
    }
  }

  /// The cached value when the fetch began: renewed by "not modified", and a possible substitute
  /// after a failure.
  let candidate: CacheHit<Value>?
  package let isBackground: Bool
  let mark: FetchMark
  /// The fetch of several keys that fetches this one, too, and whose only requests are the fetches
  /// of its keys; nil if this one has a task of its own.
  private let leader: CacheFlight<Void>?
  private let state = Locked(State())

  package init(
    candidate: CacheHit<Value>?, isBackground: Bool, leader: CacheFlight<Void>? = nil
  ) {
    self.candidate = candidate
    self.isBackground = isBackground
    self.leader = leader
    mark = leader?.mark ?? FetchMark()
  }

  package var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

  var isFinished: Bool { state.withLock { $0.result != nil } }

  var data: Data? { state.withLock { $0.data } }

  /// Number of requests that want the result, whether they wait for it already or not.
  var requests: Int { state.withLock { $0.interested } }

  // MARK: Requests

  package func join() -> Bool {
    state.withLock { state in
      if state.isAbandoned { return false }
      state.interested += 1
      return true
    }
  }

  /// Waits for the result of a fetch that was joined. A cancelled wait ends at once with a
  /// `CancellationError`.
  package func wait() async -> CacheResult<Value> {
    raise(to: Task.currentPriority)
    let number = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { enlist($0, number) }
    } onCancel: {
      cancel(number)
    }
  }

  private func enlist(
    _ continuation: CheckedContinuation<CacheResult<Value>, Never>, _ number: Int
  ) {
    let result: CacheResult<Value>? = state.withLock { state in
      if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
      if state.result == nil { state.waiters[number] = continuation }
      return state.result
    }
    if let result { continuation.resume(returning: result) }
  }

  private func cancel(_ number: Int) {
    let (waiter, isLast) = state.withLock { state in
      let waiter = state.waiters.removeValue(forKey: number)
      if waiter == nil { state.cancelled.insert(number) }
      return (waiter, withdraw(&state))
    }
    // Outside the lock: either may run code that uses the cache.
    waiter?.resume(returning: .failure(CancellationError()))
    if isLast { abandon() }
  }

  func leave() {
    if state.withLock({ withdraw(&$0) }) { abandon() }
  }

  private func withdraw(_ state: inout State) -> Bool {
    state.interested -= 1
    guard state.interested == 0, !isBackground, state.result == nil else { return false }
    state.isAbandoned = true
    return true
  }

  private func abandon() {
    let task = state.withLock { $0.task }
    #if LARDER_SCHEDULES
      // Handlers of a cancelled task, such as that of `LoadQueue`, are called with the task locked.
      if let hook = Schedules.hook { hook.uninterrupted { task?.cancel() } } else { task?.cancel() }
    #else
      task?.cancel()
    #endif
    leader?.leave()
  }

  // MARK: The fetch

  package func launch(_ body: @escaping @Sendable () async -> Void) {
    state.withLock { state in
      let priority = max(Task.currentPriority, state.priority ?? .background)
      state.priority = priority
      #if LARDER_SCHEDULES
        let task = Task(executorPreference: Schedules.hook, priority: priority, operation: body)
      #else
        let task = Task(priority: priority, operation: body)
      #endif
      state.task = task
      if state.isAbandoned { task.cancel() }
    }
  }

  /// Starts a call of a loader, once `queue` allows it. The wait and the call have the same time
  /// limit. `land` must end the fetches that the call is for; it is called with the result and,
  /// before that, if a limit has passed, because the loader may not return.
  func launch<Loaded: Sendable>(
    _ queue: LoadQueue?, limit: Duration?, _ load: @escaping @Sendable () async throws -> Loaded,
    land: @escaping @Sendable (LoadEnd<Loaded>) async -> Void
  ) {
    launch {
      do {
        let loaded = try await self.calling(queue, limit: limit, load) { hasBegun in
          await land(.timedOut(hasBegun: hasBegun))
        }
        await land(.loaded(loaded))
      } catch {
        await land(.failed(Task.isCancelled ? CancellationError() : error))
      }
      _ = self.finish(.absent, nil)
    }
  }

  private func calling<Result: Sendable>(
    _ queue: LoadQueue?, limit: Duration?, _ load: @Sendable () async throws -> Result,
    end: @escaping @Sendable (_ hasBegun: Bool) async -> Void
  ) async throws -> Result {
    if let queue {
      try self.limit(to: limit) { await end(false) }
      try await queue.enter(mark, isBackground: isBackground)
    }
    defer { queue?.leave(mark) }
    try self.limit(to: limit) { await end(true) }
    return try await FetchMark.$current.withValue(FetchMark.current + [mark]) { try await load() }
  }

  /// Calls `end` after `limit` and then cancels the fetch, in place of an earlier limit.
  private func limit(
    to limit: Duration?, _ end: @escaping @Sendable () async -> Void
  ) throws(CancellationError) {
    guard let limit else { return }
    #if LARDER_SCHEDULES
      // No time passes under a scheduler.
      if Schedules.hook != nil { return }
    #endif
    let isOver = state.withLock { state in
      if state.isTimedOut || state.result != nil { return true }
      state.timer?.cancel()
      state.limits += 1
      state.timer = Task { [weak self, number = state.limits] in
        guard (try? await Task.sleep(bounded: limit)) != nil,
          let task = self?.state.withLock({ $0.timeOut(number) })
        else { return }
        await end()
        task.cancel()
      }
      return false
    }
    if isOver { throw CancellationError() }
  }

  private func raise(to priority: TaskPriority) {
    if let leader { return leader.raise(to: priority) }
    let task: Task<Void, Never>? = state.withLock { state in
      if let known = state.priority, known >= priority { return nil }
      state.priority = priority
      return state.result == nil ? state.task : nil
    }
    // A task that another one awaits runs at least at the other's priority.
    guard let task else { return }
    #if LARDER_SCHEDULES
      Task(executorPreference: Schedules.hook, priority: priority) { await task.value }
    #else
      Task(priority: priority) { await task.value }
    #endif
  }

  package func finish(
    _ result: CacheResult<Value>, _ data: Data?
  ) -> [CheckedContinuation<CacheResult<Value>, Never>] {
    state.withLock { state in
      if state.result != nil { return [] }
      state.result = result
      state.data = data
      state.task = nil
      state.timer?.cancel()
      state.timer = nil
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
  }
}

enum LoadEnd<Loaded: Sendable>: Sendable {
  case loaded(Loaded)
  case failed(any Error)
  case timedOut(hasBegun: Bool)
}

/// Identity of a fetch among those that a task works for: a reference instead of a number, because
/// a task may outlive its fetch.
final class FetchMark: Sendable {
  /// Marks of the fetches that the current task works for: that of its own loader, and those of the
  /// loaders that wait for it. A detached task has none.
  @TaskLocal static var current: [FetchMark] = []

  /// True once a task that works for another fetch waits for this one: see `LoadQueue`.
  let isUrgent = Atomic(false)

  /// True if the mark is among `marks`. A task that works for a fetch must not wait for it, because
  /// it would wait for itself. O(nested loaders).
  func isOne(of marks: [FetchMark]) -> Bool { marks.contains { $0 === self } }
}
