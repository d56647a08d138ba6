#if canImport(Testing)
  import Dispatch
  public import Testing

  /// Ends the whole run, with the names of unfinished tests, if no watched test has ended for too
  /// long.
  ///
  /// `.timeLimit` cancels the test's task and then waits for it: a thread blocked in a lock does
  /// not notice, and the run still hangs. The duration of one test is no measure: all begin at once
  /// and wait for one another, so on a busy machine the last takes as long as all.
  public struct EndsInTime: SuiteTrait, TestTrait, TestScoping {
    /// A suite's trait watches each of its tests.
    public var isRecursive: Bool { true }

    /// Runs the test while it is watched.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      let name = "\(test.id)"
      Watched.shared.begin(name)
      defer { Watched.shared.end(name) }
      try await function()
    }
  }

  extension Trait where Self == EndsInTime {
    /// For tests that wait for other threads or processes.
    public static var endsInTime: EndsInTime { EndsInTime() }
  }

  /// The tests that have begun and not ended.
  private final class Watched: @unchecked Sendable {
    static let shared = Watched()

    private struct State {
      var names: [String: Int] = [:]
      var changed = DispatchTime.now()
      var isTimed = false
    }

    private let seconds = 1800
    // A separate thread, which tests cannot block. The thread sanitizer recognises that operations
    // of the queue are sequential, which it does not with `Mutex`.
    private let queue = DispatchQueue(label: "test deadline")
    // Only used in the queue.
    private var state = State()

    func begin(_ name: String) {
      queue.sync {
        state.names[name, default: 0] += 1
        state.changed = .now()
        if !state.isTimed { look(at: .now() + .seconds(seconds)) }
        state.isTimed = true
      }
    }

    func end(_ name: String) {
      queue.sync {
        state.names[name] = state.names[name].flatMap { $0 > 1 ? $0 - 1 : nil }
        state.changed = .now()
      }
    }

    private func look(at time: DispatchTime) {
      queue.asyncAfter(deadline: time) { [self] in
        state.isTimed = !state.names.isEmpty
        if state.names.isEmpty { return }
        let end = state.changed + .seconds(seconds)
        if end <= .now() {
          fatalError(
            "for \(seconds) s none of these ended, so the run ends here:\n"
              + state.names.keys.sorted().joined(separator: "\n"))
        }
        look(at: end)
      }
    }
  }
#endif
