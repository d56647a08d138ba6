import LarderLibc
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The clock of a cache, which a test can replace.
///
/// A cache only compares times of one clock. Times seen by one thread must not decrease; their
/// relation to the time of day does not matter to a cache that does not outlive its process. The
/// clock is read with a lock held: it must not call the cache.
public protocol CacheClock: Sendable {
  /// Time since the clock's fixed origin.
  var now: CacheInstant { get }
}

/// A clock of the system. Exact to a microsecond, it takes about 24 ns to read; otherwise it
/// advances with the kernel's ticks (1 to 10 milliseconds) and takes about 5 ns.
public struct SystemCacheClock: CacheClock {
  private let source: clockid_t

  /// Returns the monotonic clock: it never goes back, and setting the time of day does not change
  /// it. It counts from the machine's start, and includes the time for which the machine was
  /// suspended; on Linux one that is not exact adds that time up to a second later.
  public static func monotonic(isExact: Bool = false) -> SystemCacheClock {
    #if canImport(Darwin)
      SystemCacheClock(source: isExact ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC_RAW_APPROX)
    #else
      SystemCacheClock(source: isExact ? CLOCK_BOOTTIME : CLOCK_MONOTONIC_COARSE)
    #endif
  }

  /// Returns the time of day since 1 January 1970, UTC, for caches that outlive their process:
  /// stored expiries must stay comparable, and the monotonic clock restarts with the machine. On
  /// Apple's systems it is always exact.
  ///
  /// If the time of day is set back, entries live longer by that much; if it is set forward, they
  /// expire early. It has no other effect.
  public static func wall(isExact: Bool = true) -> SystemCacheClock {
    #if canImport(Darwin)
      SystemCacheClock(source: CLOCK_REALTIME)
    #else
      SystemCacheClock(source: isExact ? CLOCK_REALTIME : CLOCK_REALTIME_COARSE)
    #endif
  }

  /// The time.
  public var now: CacheInstant {
    let time = CacheInstant(reading: source)
    #if canImport(Darwin)
      return time
    #else
      if source != CLOCK_MONOTONIC_COARSE { return time }
      let all = SuspendedTime.ofMachine.time(awake: time.microseconds) {
        let boot = CacheInstant(reading: CLOCK_BOOTTIME).microseconds
        return (awake: CacheInstant(reading: CLOCK_MONOTONIC).microseconds, all: boot)
      }
      return CacheInstant(microseconds: all)
    #endif
  }
}

/// Time for which a machine was suspended, to be added to a clock that stands still meanwhile: no
/// clock of Linux both continues then and is read in 5 ns.
final class SuspendedTime: Sendable {
  #if !canImport(Darwin)
    static let ofMachine = SuspendedTime()
  #endif

  private let suspended = Atomic<UInt64>(0)
  private let due = Atomic<UInt64>(0)

  private static var interval: UInt64 { 1_000_000 }

  /// Returns the time with suspensions for a time without them. `measure` reads both, that without
  /// suspensions last, at most once per second.
  @inline(__always) func time(awake: UInt64, _ measure: () -> (awake: UInt64, all: UInt64))
    -> UInt64
  {
    if awake >= due.load(ordering: .relaxed) {
      due.store(awake + Self.interval, ordering: .relaxed)
      let (awake, all) = measure()
      // If the thread waits between the two, the difference is too small, never too large; and it
      // never shrinks, so that time does not go back.
      suspended.max(all - min(all, awake), ordering: .relaxed)
    }
    return awake + suspended.load(ordering: .relaxed)
  }
}

/// A time of a `CacheClock`: the duration since the clock's fixed origin, exact to a microsecond.
///
/// ```swift
/// struct StoppedClock: CacheClock {
///   var now = CacheInstant(.seconds(1_000))
/// }
/// ```
public struct CacheInstant: InstantProtocol {
  @usableFromInline package let microseconds: UInt64

  @inlinable package init(microseconds: UInt64) { self.microseconds = microseconds }

  fileprivate init(reading clock: clockid_t) {
    var time = timespec()
    clock_gettime(clock, &time)
    microseconds = UInt64(max(0, time.tv_sec)) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }

  /// Creates the time `elapsed` after the origin; less than zero counts as zero.
  public init(_ elapsed: Duration) { microseconds = elapsed.microseconds }

  /// Creates the time of a date, for clocks that count from 1 January 1970 as that of the day
  /// does; earlier dates count as that.
  public init(_ date: Date) { microseconds = date.microsecondsSince1970 }

  /// The date of this time, for clocks that count from 1 January 1970.
  public var date: Date { Date(microsecondsSince1970: microseconds) }

  /// Returns the time that is later by `duration`, but not before the origin.
  public func advanced(by duration: Duration) -> CacheInstant {
    if duration < .zero {
      return CacheInstant(
        microseconds: microseconds - min(microseconds, (.zero - duration).microseconds))
    }
    return CacheInstant(
      microseconds: Expiry(after: duration.microseconds, from: microseconds).microseconds)
  }

  /// The time from this instant to another; negative if that is earlier.
  public func duration(to other: CacheInstant) -> Duration {
    if other < self { return .zero - other.duration(to: self) }
    return .microseconds(Int64(clamping: other.microseconds - microseconds))
  }

  /// Returns true if the first time is earlier than the second.
  @inlinable public static func < (one: CacheInstant, other: CacheInstant) -> Bool {
    one.microseconds < other.microseconds
  }

  /// True for a stored time that is more than an hour ahead of the clock: its age is unknown, and
  /// no adjustment of a clock is that large.
  package static func isAhead(_ microseconds: UInt64, of now: UInt64) -> Bool {
    microseconds > now && microseconds - now > 3_600_000_000
  }
}

extension CacheClock {
  @inlinable @inline(__always) package var time: UInt64 { now.microseconds }
}

extension Duration {
  /// Whole microseconds, clamped to 0 to 2^63 - 1.
  @usableFromInline package var microseconds: UInt64 {
    guard self > .zero else { return 0 }
    // Clamped before the conversion: a duration may have more seconds than `components` can hold.
    guard self < .seconds(Int64.max / 1_000_000) else { return UInt64(Int64.max) }
    let (seconds, attoseconds) = components
    return UInt64(seconds) * 1_000_000 + UInt64(attoseconds / 1_000_000_000_000)
  }
}

extension Task where Success == Never, Failure == Never {
  /// Suspends the task for a duration of any length; one beyond 2^31 seconds (68 years) counts as
  /// that. `sleep(for:)` ends the process if the end of the wait exceeds the range of its clock.
  package static func sleep(bounded duration: Duration) async throws {
    try await sleep(for: min(duration, .seconds(1 << 31)))
  }
}

extension Date {
  /// Creates a date from whole microseconds since 1 January 1970. After the year 2250 it is exact
  /// to a few microseconds only.
  package init(microsecondsSince1970 microseconds: UInt64) {
    self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
  }

  package var microsecondsSince1970: UInt64 {
    let microseconds = (timeIntervalSince1970 * 1_000_000).rounded()
    guard microseconds > 0 else { return 0 }
    return UInt64(exactly: microseconds).map { min($0, UInt64(Int64.max)) } ?? UInt64(Int64.max)
  }
}
