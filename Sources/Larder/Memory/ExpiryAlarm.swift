/// Rings at a time: the system's timer, or a test.
package protocol ExpiryAlarm: Sendable {
  /// Calls `ring` from then on whenever the alarm rings, on any thread and once at a time. Called
  /// once.
  func start(_ ring: @escaping @Sendable () -> Void)

  /// Rings once, so many microseconds from now, instead of what was set before. Called with a
  /// lock held: it must not ring at once.
  func set(after microseconds: UInt64)

  /// Rings no more.
  func stop()
}
