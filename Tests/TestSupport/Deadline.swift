import Dispatch
public import Foundation

/// Limits for calls that may never return.
public enum Deadline {
  /// Whether `body` ends within so many seconds, in a thread of its own. Where it does not, the
  /// thread is left behind: whatever it uses must stay.
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

  /// Waits for a process that was started; one that does not end in time is killed.
  ///
  /// - Throws: `Missed` with the command, when it was killed.
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

  /// A process did not end in time.
  public struct Missed: Error, CustomStringConvertible {
    let command: String
    let seconds: Int
    /// One line with the command.
    public var description: String { "'\(command)' did not end within \(seconds) s" }
  }
}
