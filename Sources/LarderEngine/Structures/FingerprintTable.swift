/// From fingerprints to places in an array: open addressing with linear probing, in memory alone.
///
/// The order of places is that of first insertion, so that whoever goes through them sees the same
/// on every machine. Memory: 8 bytes for each slot, of which there are 1.6 to 3.2 for each entry.
struct FingerprintTable: ~Copyable {
  // Place plus one in the upper half, fingerprint in the lower; 0 is empty.
  private var slots: Column<UInt64>
  private var mask: UInt32
  /// Entries, and the next place.
  private(set) var count = 0

  /// An empty table with room for `capacity` entries before it grows.
  init(capacity: Int) {
    var room = 16
    while room * 5 < capacity * 8 { room *= 2 }
    mask = UInt32(room - 1)
    slots = Column(objects: room - 1)
  }

  /// The place of a fingerprint, or nil. O(1) on average.
  @inline(__always)
  func find(_ fingerprint: UInt32) -> Int? {
    var slot = FingerprintTable.home(fingerprint, mask)
    while slots[slot] != 0 {
      if UInt32(truncatingIfNeeded: slots[slot]) == fingerprint {
        return Int(slots[slot] >> 32) - 1
      }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// The place of a fingerprint, which is `count` as it was before where there was none. Amortised
  /// O(1).
  @inline(__always)
  mutating func place(_ fingerprint: UInt32) -> Int {
    if let place = find(fingerprint) { return place }
    if (count + 1) * 8 > (Int(mask) + 1) * 5 { grow() }
    put(fingerprint, count)
    count += 1
    return count - 1
  }

  /// Memory held, in bytes.
  var bytes: Int { slots.bytes }

  @inline(__always)
  private static func home(_ fingerprint: UInt32, _ mask: UInt32) -> UInt32 {
    UInt32(truncatingIfNeeded: UInt64(fingerprint) &* 0x9E37_79B9_7F4A_7C15 >> 32) & mask
  }

  @inline(__always)
  private func put(_ fingerprint: UInt32, _ place: Int) {
    var slot = FingerprintTable.home(fingerprint, mask)
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt64(place + 1) << 32 | UInt64(fingerprint)
  }

  @inline(never)
  private mutating func grow() {
    let room = (Int(mask) + 1) * 2
    let larger = Column<UInt64>(objects: room - 1)
    for slot in 0...mask where slots[slot] != 0 {
      var free = FingerprintTable.home(UInt32(truncatingIfNeeded: slots[slot]), UInt32(room - 1))
      while larger[free] != 0 { free = (free + 1) & UInt32(room - 1) }
      larger[free] = slots[slot]
    }
    slots = larger
    mask = UInt32(room - 1)
  }
}
