import Larder
import LarderEngine

/// An alarm that rings when its clock is moved, whether or not it is time: too early does no harm.
final class FuzzAlarm: ExpiryAlarm {
  private struct State {
    var bell: (@Sendable () -> Void)?
    var isSet = false
  }

  private let state = Locked(State())

  func start(_ ring: @escaping @Sendable () -> Void) { state.withLock { $0.bell = ring } }

  func set(after microseconds: UInt64) { state.withLock { $0.isSet = true } }

  func stop() { state.withLock { $0.bell = nil } }

  /// Rings if it is set.
  func ring() {
    let bell = state.withLock { state in
      defer { state.isSet = false }
      return state.isSet ? state.bell : nil
    }
    bell?()
  }
}
