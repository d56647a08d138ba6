public import Larder
import Synchronization

/// The time as the trace has it. Threads move it on as they go; it never goes back.
public final class TraceClock: CacheClock {
  private let time = Atomic<UInt64>(0)

  /// The beginning of time.
  public init() {}

  /// The latest instant that any thread has come to.
  public var now: CacheInstant {
    CacheInstant(microseconds: time.load(ordering: .relaxed))
  }

  /// Moves the time on to an instant in microseconds, unless it is beyond it already.
  public func advance(to instant: UInt64) {
    // Not `Atomic.max`, which compares unsigned numbers as signed ones in Swift 6.3.
    var latest = time.load(ordering: .relaxed)
    while instant > latest {
      let (isDone, found) = time.compareExchange(
        expected: latest, desired: instant, ordering: .relaxed)
      if isDone { return }
      latest = found
    }
  }
}
