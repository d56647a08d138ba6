#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

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
