#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
  @inlinable
  package init(microseconds: UInt64) { self.microseconds = microseconds }

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
  @inlinable
  public static func < (one: CacheInstant, other: CacheInstant) -> Bool {
    one.microseconds < other.microseconds
  }
}
