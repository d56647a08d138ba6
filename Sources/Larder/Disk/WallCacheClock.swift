#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The time of day, for caches that outlive their process: what they store says when it expires,
/// and the monotonic clock begins anew with the machine.
///
/// When somebody sets the time of day back, entries live longer by as much; when forward, they
/// expire early. Nothing worse happens.
public struct WallCacheClock: CacheClock {
  private let source: clockid_t

  /// A clock that is exact to a microsecond and takes about 24 ns to read, or, unless `isExact`,
  /// on Linux one that moves with the kernel's ticks (1 to 10 milliseconds) and takes about 5 ns.
  public init(isExact: Bool = true) {
    #if canImport(Darwin)
      source = CLOCK_REALTIME
    #else
      source = isExact ? CLOCK_REALTIME : CLOCK_REALTIME_COARSE
    #endif
  }

  /// The time since 1 January 1970, UTC.
  public var now: CacheInstant {
    var time = timespec()
    clock_gettime(source, &time)
    return CacheInstant(
      microseconds: UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(time.tv_nsec) / 1_000)
  }
}
