#if LARDER_SCHEDULES
  import Larder

  /// An alarm that rings when a client lets it.
  final class ScheduledAlarm: ExpiryAlarm, @unchecked Sendable {
    private var bell: (@Sendable () -> Void)?
    private var isRinging = false
    /// Whether it would ring one day.
    private(set) var isSet = false

    func start(_ ring: @escaping @Sendable () -> Void) { bell = ring }

    func set(after microseconds: UInt64) { isSet = true }

    func stop() { bell = nil }

    /// Rings if it is set, once at a time. (Too early is early enough.)
    func ring() {
      guard isSet, !isRinging else { return }
      isSet = false
      isRinging = true
      bell?()
      isRinging = false
    }
  }
#endif
