import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A fetch that is under way, and who waits for it.
///
/// It has a lock of its own, which is never held for long: a request that is cancelled does not
/// wait for the disk. The stripe's lock may be held when this one is taken, not the other way
/// round.
final class CacheFlight<Value: Sendable>: Sendable {
  private struct State {
    /// Requests that want the answer. When the last of them is cancelled so is the fetch, unless it
    /// is a refresh that nobody waits for.
    var interested = 0
    var waiters: [Int: CheckedContinuation<CacheResult<Value>, Never>] = [:]
    var nextWaiter = 0
    /// Waiters that were cancelled before they waited.
    var cancelled: Set<Int> = []
    var isAbandoned = false
    var priority: TaskPriority?
    var task: Task<Void, Never>?
    /// Ends the fetch after a while.
    var timer: Task<Void, Never>?
    var result: CacheResult<Value>?
    var data: Data?
  }

  /// What the cache had when it began: what "not modified" renews, and what may stand in for a
  /// failure.
  let candidate: CacheHit<Value>?
  let isBackground: Bool
  /// Who has it works for this fetch.
  let mark = FetchMark()
  private let state = Locked(State())

  init(candidate: CacheHit<Value>?, isBackground: Bool) {
    self.candidate = candidate
    self.isBackground = isBackground
  }

  /// Whether nobody wants it any more. It is then no longer its key's fetch.
  var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

  /// True once it has an answer.
  var isFinished: Bool { state.withLock { $0.result != nil } }

  /// When it is done, the bytes of its value, where each who waits is to have a value of its own.
  var data: Data? { state.withLock { $0.data } }

  // MARK: Those who want it

  /// A request wants the answer; false when the fetch has been abandoned.
  func join() -> Bool {
    state.withLock { state in
      #if LARDER_SCHEDULES
        if ScheduleFault.planted == .abandonedFetchIsJoined { state.isAbandoned = false }
      #endif
      if state.isAbandoned { return false }
      state.interested += 1
      return true
    }
  }

  /// Waits for the answer of a fetch that was joined. A wait that is cancelled ends at once with a
  /// `CancellationError`.
  func wait() async -> CacheResult<Value> {
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
    let (waiter, task) = state.withLock { state in
      let waiter = state.waiters.removeValue(forKey: number)
      if waiter == nil { state.cancelled.insert(number) }
      state.interested -= 1
      guard state.interested == 0, !isBackground, state.result == nil else {
        return (waiter, Task<Void, Never>?.none)
      }
      state.isAbandoned = true
      return (waiter, state.task)
    }
    // Without the lock: either may run code that uses the cache.
    waiter?.resume(returning: .failure(CancellationError()))
    task?.cancel()
  }

  // MARK: The fetch

  /// Begins to fetch, at the highest priority of those who want it.
  func launch(_ body: @escaping @Sendable () async -> Void) {
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

  /// Cancels the fetch after `limit`, and calls `end`, which is to finish it: its loader may not.
  func limit(to limit: Duration, _ end: @escaping @Sendable () async -> Void) {
    #if LARDER_SCHEDULES
      // Under a scheduler no time passes.
      if Schedules.hook != nil { return }
    #endif
    let timer = Task { [weak self] in
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      self?.state.withLock { $0.task }?.cancel()
      await end()
    }
    let isLate = state.withLock { state in
      state.timer = state.result == nil ? timer : nil
      return state.result != nil
    }
    if isLate { timer.cancel() }
  }

  /// Somebody of a priority has come to wait.
  private func raise(to priority: TaskPriority) {
    let task: Task<Void, Never>? = state.withLock { state in
      if let known = state.priority, known >= priority { return nil }
      state.priority = priority
      return state.result == nil ? state.task : nil
    }
    // A task that another one waits for runs at the other's priority at least.
    guard let task else { return }
    #if LARDER_SCHEDULES
      Task(executorPreference: Schedules.hook, priority: priority) { await task.value }
    #else
      Task(priority: priority) { await task.value }
    #endif
  }

  /// Ends it, and hands back those who are to be told.
  func finish(
    _ result: CacheResult<Value>, _ data: Data?
  ) -> [CheckedContinuation<CacheResult<Value>, Never>] {
    state.withLock { state in
      state.result = result
      state.data = data
      state.task = nil
      state.timer?.cancel()
      state.timer = nil
      defer { state.waiters = [:] }
      #if LARDER_SCHEDULES
        if ScheduleFault.planted == .forgottenWaiter { _ = state.waiters.popFirst() }
      #endif
      return Array(state.waiters.values)
    }
  }
}

/// Stands for a fetch among those that a task works for.
///
/// A reference and not an identifier: a task may outlive the fetch that it was started for, and
/// must not be taken for one that works for a later fetch. Not the fetch itself: its value could
/// not go as long as the task lives.
final class FetchMark: Sendable {
  /// The marks of the fetches that the current task works for: that of its own loader, and those of
  /// the loaders that wait for it. A detached task works for none.
  @TaskLocal static var current: [FetchMark] = []

  /// Whether the mark is among others. A task that works for a fetch must not wait for it, which
  /// would be to wait for itself. O(loaders inside each other).
  func isOne(of marks: [FetchMark]) -> Bool { marks.contains { $0 === self } }
}
