/// Tells of memory pressure: the system's, or a test's or workload's own.
public protocol MemoryPressureSource: Sendable {
  /// Calls `handler` from any thread whenever memory is short, until `stop`. Called once.
  func start(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void)

  /// Ends the calls. One that is under way may still finish.
  func stop()
}
