#if LARDER_SCHEDULES
  import Larder

  /// An alarm that rings when a client makes it ring.
  final class ScheduledAlarm: ExpiryAlarm, @unchecked Sendable {
    private var bell: (@Sendable () -> Void)?
    private var isRinging = false
    private(set) var isSet = false

    func start(_ ring: @escaping @Sendable () -> Void) { bell = ring }

    func set(after microseconds: UInt64) { isSet = true }

    func stop() { bell = nil }

    func ring() {
      guard isSet, !isRinging else { return }
      isSet = false
      isRinging = true
      bell?()
      isRinging = false
    }
  }
#endif
