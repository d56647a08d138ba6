import LarderLibc

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
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

/// An instant of a `CacheClock`: the time since a moment that is fixed for the clock, exact to a
/// microsecond.
///
/// ```swift
/// struct StoppedClock: CacheClock {
///   var now = CacheInstant(.seconds(1_000))
/// }
/// ```
public struct CacheInstant: InstantProtocol {
  /// The time since the fixed moment, in whole microseconds.
  @usableFromInline package let microseconds: UInt64

  /// The same from whole microseconds.
  @inlinable package init(microseconds: UInt64) { self.microseconds = microseconds }

  /// The instant `elapsed` after the fixed moment; less than zero counts as zero.
  public init(_ elapsed: Duration) { microseconds = elapsed.microseconds }

  /// The instant of a date, for clocks that count from 1 January 1970 as `WallCacheClock` does;
  /// earlier dates count as that.
  public init(_ date: Date) { microseconds = date.microsecondsSince1970 }

  /// The date of an instant, for clocks that count from 1 January 1970.
  public var date: Date { Date(microsecondsSince1970: microseconds) }

  /// The instant that is later by `duration`; not before the fixed moment.
  public func advanced(by duration: Duration) -> CacheInstant {
    if duration < .zero {
      return CacheInstant(
        microseconds: microseconds - min(microseconds, (.zero - duration).microseconds))
    }
    let (sum, overflows) = microseconds.addingReportingOverflow(duration.microseconds)
    return CacheInstant(microseconds: overflows ? .max : sum)
  }

  /// The time from this instant to another; negative if that is earlier.
  public func duration(to other: CacheInstant) -> Duration {
    if other < self { return .zero - other.duration(to: self) }
    return .microseconds(Int64(clamping: other.microseconds - microseconds))
  }

  /// Whether one instant is earlier than the other.
  @inlinable public static func < (one: CacheInstant, other: CacheInstant) -> Bool {
    one.microseconds < other.microseconds
  }
}

extension CacheClock {
  /// The time in whole microseconds, as the caches store and compare it.
  @inlinable @inline(__always) package var nowMicroseconds: UInt64 { now.microseconds }
}

extension Duration {
  /// Whole microseconds, at least 0 and at most 2^63 - 1, whatever the duration.
  @usableFromInline package var microseconds: UInt64 {
    guard self > .zero else { return 0 }
    // Before it is taken apart: a duration may have more seconds than `components` can say.
    guard self < .seconds(Int64.max / 1_000_000) else { return UInt64(Int64.max) }
    let (seconds, attoseconds) = components
    return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
  }
}

extension Date {
  /// A date from whole microseconds since 1 January 1970. After the year 2250 it is exact to a few
  /// microseconds only.
  package init(microsecondsSince1970 microseconds: UInt64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }

  /// Microseconds since 1 January 1970, to the nearest: 0 for earlier dates, and at most 2^63 - 1.
  package var microsecondsSince1970: UInt64 {
    let microseconds = (timeIntervalSince1970 * 1_000_000).rounded()
    guard microseconds > 0 else { return 0 }
    return UInt64(exactly: microseconds).map { min($0, UInt64(Int64.max)) } ?? UInt64(Int64.max)
  }
}
