/// SipHash-2-4 of one 64-bit word: without the key, a word cannot be found from its hash, and a
/// hash cannot be recognised. (Aumasson and Bernstein, SipHash: a fast short-input PRF, INDOCRYPT
/// 2012.)
package struct SipHash: Sendable {
  @usableFromInline let k0: UInt64
  @usableFromInline let k1: UInt64

  package init(_ k0: UInt64, _ k1: UInt64) {
    self.k0 = k0
    self.k1 = k1
  }

  package init() {
    var generator = SystemRandomNumberGenerator()
    self.init(generator.next(), generator.next())
  }

  @inlinable package func hash(_ word: UInt64) -> UInt64 {
    var v0 = k0 ^ 0x736f_6d65_7073_6575
    var v1 = k1 ^ 0x646f_7261_6e64_6f6d
    var v2 = k0 ^ 0x6c79_6765_6e65_7261
    var v3 = k1 ^ 0x7465_6462_7974_6573
    func round() {
      v0 &+= v1
      v1 = v1 &<< 13 | v1 &>> 51
      v1 ^= v0
      v0 = v0 &<< 32 | v0 &>> 32
      v2 &+= v3
      v3 = v3 &<< 16 | v3 &>> 48
      v3 ^= v2
      v0 &+= v3
      v3 = v3 &<< 21 | v3 &>> 43
      v3 ^= v0
      v2 &+= v1
      v1 = v1 &<< 17 | v1 &>> 47
      v1 ^= v2
      v2 = v2 &<< 32 | v2 &>> 32
    }
    // The word, then the message length, eight, in the highest byte of the last word.
    for part in 0..<2 {
      let block = part == 0 ? word : 8 << 56
      v3 ^= block
      round()
      round()
      v0 ^= block
    }
    v2 ^= 0xff
    for _ in 0..<4 { round() }
    return v0 ^ v1 ^ v2 ^ v3
  }
}

/// The checksum of headers and blocks of recordings, which detects damage and protects no secrets.
/// Folds in eight bytes at a time by a multiplication to 128 bits, like Wang Yi's wyhash (2019,
/// public domain).
package enum RecordedChecksum {
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

  @inline(__always) private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
