/// What a hybrid cache keeps in memory under a key.
///
/// Little, since a hit takes as long as the cache lines do that it touches: what few entries have
/// is in `note`, and the instant of storing fills what an optional value leaves of a word.
@usableFromInline
struct HybridHeld<Value: Sendable>: Sendable {
  /// Nil where every read is to have a value of its own: the bytes are in `note`.
  @usableFromInline let value: Value?
  // The instant of storing, 56 bits of it, in the order that leaves no gap behind one byte.
  @usableFromInline let createdHigh: UInt8
  @usableFromInline let createdMiddle: UInt16
  @usableFromInline let createdLow: UInt32
  /// The rest.
  @usableFromInline let note: HybridNote

  init(_ value: Value?, created: UInt64, _ note: HybridNote) {
    self.value = value
    createdHigh = UInt8(truncatingIfNeeded: created >> 48)
    createdMiddle = UInt16(truncatingIfNeeded: created >> 32)
    createdLow = UInt32(truncatingIfNeeded: created)
    self.note = note
  }

  /// When it was stored, microseconds, as far as the fields know; the facts, where there are any,
  /// know better.
  @inlinable
  @inline(__always)
  var createdBits: UInt64 {
    UInt64(createdHigh) << 48 | UInt64(createdMiddle) << 32 | UInt64(createdLow)
  }
}
