/// SipHash-2-4 of one 64-bit word: who does not have the key can neither find a word from its hash
/// nor tell whether a hash is that of a word. (Aumasson and Bernstein, SipHash: a fast short-input
/// PRF, INDOCRYPT 2012.)
package struct SipHash: Sendable {
  @usableFromInline let k0: UInt64
  @usableFromInline let k1: UInt64

  /// A hash with the key `k0`, `k1`.
  package init(_ k0: UInt64, _ k1: UInt64) {
    self.k0 = k0
    self.k1 = k1
  }

  /// A hash with a random key, which nobody else has.
  package init() {
    var generator = SystemRandomNumberGenerator()
    self.init(generator.next(), generator.next())
  }

  /// The hash of the eight bytes of a word, the lowest first.
  @inlinable
  package func hash(_ word: UInt64) -> UInt64 {
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
    // The word, then the length of the message, eight, in the highest byte of the last word.
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
