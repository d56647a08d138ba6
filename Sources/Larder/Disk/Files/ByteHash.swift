/// A 64-bit hash of bytes, the same on every machine, for finding damage and for finding keys.
///
/// Words are multiplied to 128 bits and folded, as in Wang Yi's wyhash (2019, public domain), in
/// eight chains so that the multiplications overlap. Not for secrets: whoever knows the seed can
/// make two inputs with one hash.
enum ByteHash {
  /// The hash of `bytes`. Every byte, the length and the seed count. O(`bytes`).
  static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    let count = bytes.count
    var offset = 0
    var state = seed ^ p0
    if count >= 128, let base = bytes.baseAddress {
      var (a, b, c, d) = (seed ^ p0, seed ^ p1, seed ^ p2, seed ^ p3)
      var (e, f, g, h) = (~a, ~b, ~c, ~d)
      let last = count - 128
      while offset <= last {
        a = fold(word(base, offset) ^ p0, word(base, offset + 8) ^ a)
        b = fold(word(base, offset + 16) ^ p1, word(base, offset + 24) ^ b)
        c = fold(word(base, offset + 32) ^ p2, word(base, offset + 40) ^ c)
        d = fold(word(base, offset + 48) ^ p3, word(base, offset + 56) ^ d)
        e = fold(word(base, offset + 64) ^ p0, word(base, offset + 72) ^ e)
        f = fold(word(base, offset + 80) ^ p1, word(base, offset + 88) ^ f)
        g = fold(word(base, offset + 96) ^ p2, word(base, offset + 104) ^ g)
        h = fold(word(base, offset + 112) ^ p3, word(base, offset + 120) ^ h)
        offset += 128
      }
      state = a ^ b &* p1 ^ c &* p2 ^ d &* p3
      state = fold(state ^ p1, e ^ f &* p1 ^ g &* p2 ^ h &* p3)
    }
    while offset + 8 <= count, let base = bytes.baseAddress {
      state = fold(word(base, offset) ^ p1, state ^ p2)
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    state = fold(rest ^ p3, state ^ p0)
    return fold(state ^ UInt64(count) &* p2, p1 ^ seed)
  }

  // Odd numbers with as many ones as zeroes in no pattern: digits of the golden ratio and of the
  // square roots of 2, 3 and 5.
  private static var p0: UInt64 { 0x9e37_79b9_7f4a_7c15 }
  private static var p1: UInt64 { 0x6a09_e667_f3bc_c909 }
  private static var p2: UInt64 { 0xbb67_ae85_84ca_a73b }
  private static var p3: UInt64 { 0x3c6e_f372_fe94_f82b }

  @inline(__always)
  private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
