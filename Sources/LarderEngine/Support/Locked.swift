/// A value behind a lock of its own.
///
/// What the standard library's `Mutex` is, but for two things: it is an object, and the thread
/// sanitizer knows its lock. On Linux a `Mutex` that somebody waits for is handed over by the
/// kernel, unseen by the sanitizer, which then takes what the two threads do one after the other
/// for a race.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
  private let lock = SleepingLock()
  private var value: Value

  /// A value that nobody holds.
  package init(_ value: consuming sending Value) { self.value = value }

  /// Calls `body` with the value while nobody else has it. Not recursive.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
