/// The checksum of headers and blocks of recordings: for finding damage, not for secrets.
///
/// Eight bytes at a time are folded in by a multiplication to 128 bits, as in Wang Yi's wyhash
/// (2019, public domain).
package enum RecordedChecksum {
  /// The checksum of `bytes`. O(`bytes`).
  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var state = 0xA076_1D64_78BD_642F ^ UInt64(bytes.count)
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      state = fold(state ^ word, 0xE703_7ED1_A0B4_28DB)
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest &<< 8 | UInt64(bytes[offset])
      offset += 1
    }
    return fold(fold(state ^ rest, 0xE703_7ED1_A0B4_28DB), 0x8EBC_6AF0_9C88_C6E3)
  }

  @inline(__always)
  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
