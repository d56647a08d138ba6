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

extension HybridHeld {
  /// Bytes that memory takes for an entry beside those of its value: its record with room to grow,
  /// its place in the directory, what a policy keeps of an id, and allocations that key, value and
  /// metadata point to, each with its header. An estimate for policies that keep as much as LRU;
  /// others keep more, and some also keys of entries that were evicted.
  func overhead<Key: DiskKeyRepresentable>(_ key: Key) -> Int {
    var bytes = (ShardRecords<Key, HybridHeld<Value>>.stride + 32) * 9 / 8
    if Key.self == String.self {
      bytes += Self.allocated(unsafeBitCast(key, to: String.self))
    } else if !_isPOD(Key.self) {
      bytes += 2 * key.diskKey.utf8.count + 128
    }
    if !_isPOD(Value.self) { bytes += 48 }
    if let facts = note.facts {
      bytes += 128 + Self.allocated(facts.version ?? "") + Self.allocated(facts.contentType ?? "")
    }
    return bytes
  }

  /// Bytes of a text that its value points to; up to 15 are in the value itself.
  private static func allocated(_ text: String) -> Int {
    let count = text.utf8.count
    return count <= 15 ? 0 : (count + 56) & ~15
  }
}
