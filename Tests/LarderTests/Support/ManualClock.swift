import Larder
import Synchronization

/// A clock that a test moves.
final class ManualClock: CacheClock {
  private let now: Atomic<UInt64>

  init(seconds: UInt64 = 0) { now = Atomic(seconds * 1_000_000) }

  var nowMicroseconds: UInt64 { now.load(ordering: .relaxed) }

  func set(seconds: UInt64) { now.store(seconds * 1_000_000, ordering: .relaxed) }

  func advance(seconds: UInt64) {
    now.wrappingAdd(seconds * 1_000_000, ordering: .relaxed)
  }
}
