/// A seeded bijection of 0 ..< count, computed rather than stored: popular ranks get keys that are
/// scattered, as hashed keys are.
///
/// A bijection of the next power of two, applied again while it leads out of the range (cycle
/// walking; Black and Rogaway, Ciphers with Arbitrary Finite Domains, CT-RSA 2002): fewer than two
/// steps on average.
struct Permutation: Sendable {
  private let count: UInt64
  private let mask: UInt64
  private let shift: UInt64
  private let multipliers: (UInt64, UInt64)
  private let addend: UInt64

  /// A permutation of 0 ..< `count`, which is above 0.
  init(count: Int, seed: UInt64) {
    self.count = UInt64(count)
    let bits = max(2, UInt64(Int.bitWidth - (count - 1).leadingZeroBitCount))
    mask = bits == 64 ? .max : 1 << bits - 1
    shift = (bits + 1) / 2
    var random = RandomStream(seed: seed, purpose: 0x9e27)
    multipliers = (random.next() | 1, random.next() | 1)
    addend = random.next()
  }

  /// Where the number goes.
  @inline(__always)
  func callAsFunction(_ number: UInt64) -> UInt64 {
    var value = number
    repeat {
      value = (value &+ addend) &* multipliers.0 & mask
      value ^= value >> shift
      value = value &* multipliers.1 & mask
      value ^= value >> shift
    } while value >= count
    return value
  }
}
