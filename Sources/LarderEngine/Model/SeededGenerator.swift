/// Random numbers from a seed, the same on every machine: xoshiro256**.
///
/// Blackman and Vigna, Scrambled Linear Pseudorandom Number Generators, ACM Transactions on
/// Mathematical Software 47 (2021). The state is filled by SplitMix64, as its authors advise, so
/// that seeds 0 and 1 are as good as any.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  @usableFromInline var a: UInt64
  @usableFromInline var b: UInt64
  @usableFromInline var c: UInt64
  @usableFromInline var d: UInt64

  /// A generator whose numbers follow from `seed` alone.
  public init(seed: UInt64) {
    var state = seed
    func nextWord() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var word = state
      word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
      word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
      return word ^ word >> 31
    }
    a = nextWord()
    b = nextWord()
    c = nextWord()
    d = nextWord()
  }

  /// The next 64 random bits.
  @inlinable
  public mutating func next() -> UInt64 {
    let scrambled = b &* 5
    let result = (scrambled << 7 | scrambled >> 57) &* 9
    let shifted = b << 17
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = d << 45 | d >> 19
    return result
  }

  /// A number from 0 to `bound` - 1, all equally likely to within `bound` / 2^64. `bound` is above
  /// 0.
  ///
  /// Not named `next(upperBound:)`, whose algorithm the standard library may change.
  @inlinable
  public mutating func next(below bound: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: bound).high
  }

  /// A number from 0 up to but not including 1, a multiple of 2^-53.
  @inlinable
  public mutating func nextUnit() -> Double {
    Double(next() >> 11) * 0x1p-53
  }
}
