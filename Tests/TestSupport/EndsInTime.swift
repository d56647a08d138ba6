#if canImport(Testing)
  import Dispatch
  public import Testing

  /// Ends the whole run, with the name of the test, when a test case takes too long.
  ///
  /// `.timeLimit` cancels the test's task and then waits for it: a thread that is blocked in a lock
  /// does not notice, and the run hangs all the same.
  public struct EndsInTime: SuiteTrait, TestTrait, TestScoping {
    /// How long a test case may take.
    let seconds: Int

    /// On a suite, each of its tests is watched.
    public var isRecursive: Bool { true }

    /// Performs the test while a timer runs.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      let (name, seconds) = ("\(test.id)", seconds)
      let end = DispatchWorkItem {
        fatalError("\(name) did not end within \(seconds) s, so the run ends here")
      }
      // A thread of its own, whatever those of the tests are blocked in.
      DispatchQueue(label: "test deadline").asyncAfter(
        deadline: .now() + .seconds(seconds), execute: end)
      defer { end.cancel() }
      try await function()
    }
  }

  extension Trait where Self == EndsInTime {
    /// For tests that wait for other threads or processes: far more time than they take on a busy
    /// machine.
    public static var endsInTime: EndsInTime { EndsInTime(seconds: 2700) }
  }
#endif
