import Larder
import Synchronization

/// A clock moved by a test.
final class ManualClock: CacheClock {
  private let time: Atomic<UInt64>

  init(seconds: UInt64 = 0) { time = Atomic(seconds * 1_000_000) }

  var now: CacheInstant { CacheInstant(microseconds: time.load(ordering: .relaxed)) }

  func set(seconds: UInt64) { time.store(seconds * 1_000_000, ordering: .relaxed) }

  func advance(seconds: UInt64) { time.wrappingAdd(seconds * 1_000_000, ordering: .relaxed) }
}
