/// What the words in a ring are, by their lowest two bits.
@usableFromInline
enum RecordWord {
  /// The beginning of an operation that is no get: see `RecordUnit`.
  @inlinable static var operation: UInt64 { 0 }
  /// A get that was a hit; the other bits are the hash of the key.
  @inlinable static var hit: UInt64 { 1 }
  /// A get that was a miss.
  @inlinable static var miss: UInt64 { 2 }
  /// The time of all gets from here on, in the other bits.
  @inlinable static var time: UInt64 { 3 }
  /// The bits that say which it is.
  @inlinable static var mask: UInt64 { 3 }

  /// A get.
  @inlinable
  @inline(__always)
  static func get(_ hash: UInt64, isHit: Bool) -> UInt64 {
    hash & ~mask | (isHit ? hit : miss)
  }

  /// A time, microseconds.
  @inlinable
  @inline(__always)
  static func time(_ time: UInt64) -> UInt64 { time &<< 2 | Self.time }
}
