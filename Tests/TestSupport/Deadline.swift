import Dispatch
public import Foundation

/// Limits for calls that may never return.
public enum Deadline {
  /// True if `body` returns within `seconds` in a separate thread. Otherwise the thread is
  /// abandoned: everything it uses must stay alive.
  public static func isMet(
    seconds: Int = 60, by body: @escaping @Sendable () -> Void
  ) -> Bool {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      done.signal()
    }
    return done.wait(timeout: .now() + .seconds(seconds)) == .success
  }

  /// Waits for a started process and kills it after `seconds`.
  ///
  /// - Throws: `Missed` with the command if it was killed.
  public static func wait(for process: Process, seconds: Int = 300) throws {
    let end = ContinuousClock.now + .seconds(seconds)
    // `waitUntilExit` has no limit.
    while process.isRunning, ContinuousClock.now < end { usleep(2000) }
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    throw Missed(
      command: ([process.executableURL?.path ?? ""] + (process.arguments ?? []))
        .joined(separator: " "), seconds: seconds)
  }

  /// A process that did not end in time.
  public struct Missed: Error, CustomStringConvertible {
    let command: String
    let seconds: Int
    /// One line with the command.
    public var description: String { "'\(command)' did not end within \(seconds) s" }
  }
}
