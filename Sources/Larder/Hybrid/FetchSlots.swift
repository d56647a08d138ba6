import LarderEngine

/// Limits the number of fetches at once; the others wait in the order of their requests.
///
/// A fetch that the loader of a running one requests or waits for starts at once, beyond the limit:
/// otherwise each could wait for the other.
final class FetchSlots: Sendable {
  private struct State {
    var running = 0
    /// Waiting turns, some of which may have started or ended in the meantime.
    var queue: [FetchTurn] = []
    var next = 0
    /// Turns that have not ended, by the marks of their fetches.
    var turns: [ObjectIdentifier: FetchTurn] = [:]
  }

  private let slotsMax: Int
  private let state = Locked(State())

  init(_ slotsMax: Int) { self.slotsMax = slotsMax }

  /// Number of running fetches.
  var running: Int { state.withLock { $0.running } }

  /// Adds a fetch to a turn, which gets its place in the queue with its first one.
  ///
  /// - Parameter requesters: Marks of the fetches that the requesting task works for.
  func add(_ mark: FetchMark, to turn: FetchTurn, requesters: [FetchMark]) {
    state.withLock { state in
      let isNew = turn.marks.isEmpty
      turn.marks.append(mark)
      state.turns[ObjectIdentifier(mark)] = turn
      if isNew {
        state.queue.append(turn)
        fill(&state)
      }
      if isRunning(requesters, state) { start(turn, &state) }
    }
  }

  /// Starts the waiting fetch with a mark if the task that is going to wait for it works for a
  /// running one.
  func advance(_ mark: FetchMark, for requesters: [FetchMark]) {
    state.withLock { state in
      guard let turn = state.turns[ObjectIdentifier(mark)], isRunning(requesters, state) else {
        return
      }
      start(turn, &state)
    }
  }

  /// Waits for a turn.
  ///
  /// - Throws: `CancellationError`. The turn must be ended nevertheless.
  func wait(for turn: FetchTurn) async throws {
    let isStarted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isStarted: Bool? = state.withLock { _ in
          if turn.isStarted || turn.isCancelled { return turn.isStarted }
          turn.waiter = continuation
          return nil
        }
        if let isStarted { continuation.resume(returning: isStarted) }
      }
    } onCancel: {
      let waiter = state.withLock { _ in
        turn.isCancelled = true
        defer { turn.waiter = nil }
        return turn.waiter
      }
      waiter?.resume(returning: false)
    }
    if !isStarted { throw CancellationError() }
  }

  /// Ends a turn, and starts the next one.
  func end(_ turn: FetchTurn) {
    state.withLock { state in
      for mark in turn.marks { state.turns[ObjectIdentifier(mark)] = nil }
      if turn.isStarted { state.running -= 1 }
      turn.isCancelled = true
      fill(&state)
    }
  }

  private func isRunning(_ marks: [FetchMark], _ state: State) -> Bool {
    marks.contains { state.turns[ObjectIdentifier($0)]?.isStarted ?? false }
  }

  private func fill(_ state: inout State) {
    while state.running < slotsMax, state.next < state.queue.count {
      start(state.queue[state.next], &state)
      state.next += 1
    }
    if state.next * 2 > state.queue.count {
      state.queue.removeFirst(state.next)
      state.next = 0
    }
  }

  private func start(_ turn: FetchTurn, _ state: inout State) {
    if turn.isStarted || turn.isCancelled { return }
    turn.isStarted = true
    state.running += 1
    turn.waiter?.resume(returning: true)
    turn.waiter = nil
  }
}

/// The turn of one call of a loader, for one key or several. Everything requires the lock of its
/// `FetchSlots`.
final class FetchTurn: @unchecked Sendable {
  /// Marks of the fetches of its keys.
  fileprivate(set) var marks: [FetchMark] = []
  fileprivate(set) var isStarted = false
  fileprivate(set) var isCancelled = false
  fileprivate var waiter: CheckedContinuation<Bool, Never>?

  init() {}
}
