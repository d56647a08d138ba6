#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The time at which an entry expires, or never: the engine's number and that of rows on disk.
@frozen @usableFromInline package struct Expiry: Sendable, Hashable, Comparable {
  /// Microseconds since the origin of the cache's clock; `UInt64.max` (`Request.noExpiry`) for
  /// never.
  @usableFromInline package let microseconds: UInt64

  @inlinable @inline(__always) package init(_ microseconds: UInt64) {
    self.microseconds = microseconds
  }

  @inlinable @inline(__always) package init(after life: UInt64?, from now: UInt64) {
    guard let life else {
      self = .never
      return
    }
    let (sum, overflows) = now.addingReportingOverflow(life)
    self.init(overflows ? .max : sum)
  }

  package init(_ date: Date?) { self.init(date?.microsecondsSince1970 ?? .max) }

  @inlinable package static var never: Expiry { @inline(__always) get { Expiry(.max) } }

  package var date: Date? { self == .never ? nil : Date(microsecondsSince1970: microseconds) }

  @inlinable @inline(__always) package func isOver(at now: UInt64) -> Bool { microseconds <= now }

  package func lifeLeft(at now: UInt64) -> UInt64 {
    self == .never ? .max : microseconds - min(microseconds, now)
  }

  package func overdue(at now: UInt64) -> UInt64 { now - min(now, microseconds) }

  @inlinable @inline(__always) package static func < (one: Expiry, other: Expiry) -> Bool {
    one.microseconds < other.microseconds
  }
}
