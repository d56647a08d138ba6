/// A 64-bit hash of bytes, equal on every machine, for detecting damage and looking up keys.
///
/// Up to 256 bytes, words are multiplied to 128 bits and folded, as in Wang Yi's wyhash (2019,
/// public domain). Beyond, sixteen sums of 32-bit products run in parallel as in Yann Collet's XXH3
/// (2019, BSD licence), as fast as copying the bytes; the multipliers differ from stripe to stripe,
/// so that the order of stripes matters. Not for secrets: with a known seed, two inputs with one
/// hash can be constructed.
package enum ByteHash {
  package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64) -> UInt64 {
    let count = bytes.count
    var offset = 0
    var state = seed ^ p0
    if count > stripedMin, let base = bytes.baseAddress {
      offset = count / stripe * stripe
      state = stripes(base, offset, seed)
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

  private typealias Lanes = SIMD4<UInt64>

  private static var stripedMin: Int { 256 }
  private static var stripe: Int { 128 }

  private static func stripes(_ base: UnsafeRawPointer, _ count: Int, _ seed: UInt64) -> UInt64 {
    var key = Lanes(p0, p1, p2, p3) &+ seed
    var (a, b) = (key, ~key)
    var (c, d) = (key &+ p1, ~key &- p1)
    var offset = 0
    while offset < count {
      let end = min(count, offset + 16 * stripe)
      while offset < end {
        let w0 = lanes(base, offset)
        let w1 = lanes(base, offset + 32)
        let w2 = lanes(base, offset + 64)
        let w3 = lanes(base, offset + 96)
        // Each word is multiplied in one sum and added unchanged to another: a product alone would
        // lose a word whose other half is zero.
        a = a &+ product(w0 ^ key) &+ w1
        b = b &+ product(w1 ^ key) &+ w0
        c = c &+ product(w2 ^ key) &+ w3
        d = d &+ product(w3 ^ key) &+ w2
        key = key &+ p0
        offset += stripe
      }
      a = scrambled(a, key)
      b = scrambled(b, key)
      c = scrambled(c, key)
      d = scrambled(d, key)
    }
    var state = seed ^ p2
    for sum in [a, b, c, d] {
      state = fold(state ^ sum[0], sum[1] ^ p1)
      state = fold(state ^ sum[2], sum[3] ^ p3)
    }
    return state
  }

  // Odd numbers with as many ones as zeros and no pattern: digits of the golden ratio and of the
  // square roots of 2, 3 and 5.
  private static var p0: UInt64 { 0x9e37_79b9_7f4a_7c15 }
  private static var p1: UInt64 { 0x6a09_e667_f3bc_c909 }
  private static var p2: UInt64 { 0xbb67_ae85_84ca_a73b }
  private static var p3: UInt64 { 0x3c6e_f372_fe94_f82b }

  @inline(__always) private static func lanes(_ base: UnsafeRawPointer, _ offset: Int) -> Lanes {
    let lanes = base.loadUnaligned(fromByteOffset: offset, as: Lanes.self)
    #if _endian(big)
      return Lanes(
        lanes[0].byteSwapped, lanes[1].byteSwapped, lanes[2].byteSwapped, lanes[3].byteSwapped)
    #else
      return lanes
    #endif
  }

  @inline(__always) private static func product(_ words: Lanes) -> Lanes {
    (words & Lanes(repeating: 0xffff_ffff)) &* (words &>> 32)
  }

  @inline(__always) private static func scrambled(_ sums: Lanes, _ key: Lanes) -> Lanes {
    (sums ^ (sums &>> 47) ^ key) &* 0x9e37_79b1
  }

  @inline(__always) private static func word(_ base: UnsafeRawPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always) private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
    let product = a.multipliedFullWidth(by: b)
    return product.high ^ product.low
  }
}
