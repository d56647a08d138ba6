#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Where a cache takes the time from, so that a test can pass it in.
///
/// A cache only ever compares instants of one clock. An instant must not be earlier than the one
/// before it as seen by one thread; how it is related to the time of day does not matter to a cache
/// that does not survive its process.
public protocol CacheClock: Sendable {
  /// Microseconds since a moment that stays the same for the life of the clock.
  var nowMicroseconds: UInt64 { get }
}

/// The system's monotonic clock: it never goes back, and setting the time of day does not move it.
public struct MonotonicCacheClock: CacheClock {
  /// The clock has no state of its own.
  public init() {}

  /// Microseconds since the machine started, on Linux without the time it was suspended.
  public var nowMicroseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }
}
