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
/// that does not survive its process. A clock is asked while a lock is held: it must not call the
/// cache.
public protocol CacheClock: Sendable {
  /// The time since a moment that stays the same for the life of the clock.
  var now: CacheInstant { get }
}

/// The system's monotonic clock: it never goes back, and setting the time of day does not move it.
public struct MonotonicCacheClock: CacheClock {
  private let source: clockid_t

  /// A clock that is exact to a microsecond and takes about 24 ns to read, or, unless `isExact`,
  /// one that moves with the kernel's ticks (1 to 10 milliseconds) and takes about 5 ns.
  public init(isExact: Bool = false) {
    #if canImport(Darwin)
      source = isExact ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC_RAW_APPROX
    #else
      source = isExact ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_COARSE
    #endif
  }

  /// The time since the machine started, on Linux without the time it was suspended.
  public var now: CacheInstant {
    var time = timespec()
    clock_gettime(source, &time)
    return CacheInstant(
      microseconds: UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000)
  }
}
