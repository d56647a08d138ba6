import Larder
import LarderEngine

/// An alarm that rings whenever its clock advances: ringing too early is harmless.
final class FuzzAlarm: ExpiryAlarm {
  private struct State {
    var bell: (@Sendable () -> Void)?
    var isSet = false
  }

  private let state = Locked(State())

  func start(_ ring: @escaping @Sendable () -> Void) { state.withLock { $0.bell = ring } }

  func set(after microseconds: UInt64) { state.withLock { $0.isSet = true } }

  func stop() { state.withLock { $0.bell = nil } }

  func ring() {
    let bell = state.withLock { state in
      defer { state.isSet = false }
      return state.isSet ? state.bell : nil
    }
    bell?()
  }
}
