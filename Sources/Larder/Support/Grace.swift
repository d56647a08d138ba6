/// For how long entries are kept after they have expired, because their origin may say that they
/// still hold, or because they may be answered with while the origin is asked or cannot be.
struct Grace: Sendable, Hashable {
  /// For entries with a version, microseconds.
  var versioned: UInt64
  /// For entries without, microseconds.
  var others: UInt64

  /// Nothing is kept.
  static var none: Grace { Grace(versioned: 0, others: 0) }

  /// Whether nothing is kept.
  var isNone: Bool { versioned == 0 && others == 0 }

  /// Whether an entry that has expired is still to be kept.
  func keeps(hasVersion: Bool, expires: UInt64, now: UInt64) -> Bool {
    let limit = hasVersion ? max(versioned, others) : others
    return limit > 0 && now - min(now, expires) <= limit
  }
}
