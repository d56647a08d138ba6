/// Random numbers for the generators' inner loops: SplitMix64.
///
/// Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014. The engine
/// has a generator of its own; calls across modules would cost more than the numbers.
struct RandomStream: Sendable {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A stream of its own for one purpose among several that share a seed.
  init(seed: UInt64, purpose: UInt64) { state = Self.derived(seed, purpose) }

  /// The next 64 random bits.
  @inline(__always)
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mixed(state)
  }

  /// A number from 0 to `bound` - 1; `bound` is above 0.
  @inline(__always)
  mutating func next(below bound: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: bound).high
  }

  /// A number from 0 up to but not including 1, a multiple of 2^-53.
  @inline(__always)
  mutating func nextUnit() -> Double { Self.unit(next()) }

  /// Whether something happens that has the probability of `threshold` / 2^64.
  @inline(__always)
  mutating func happens(_ threshold: UInt64) -> Bool { next() < threshold }

  /// The upper 53 bits as a number from 0 up to but not including 1.
  @inline(__always)
  static func unit(_ bits: UInt64) -> Double { Double(bits >> 11) * 0x1p-53 }

  /// The threshold of a probability for `happens`; 1 becomes the largest threshold, which misses
  /// once in 2^64.
  static func threshold(_ probability: Double) -> UInt64 {
    probability >= 1 ? .max : probability <= 0 ? 0 : UInt64(probability * 0x1p64)
  }

  /// A bijection of 64 bits in which every input bit changes half of the output bits.
  @inline(__always)
  static func mixed(_ value: UInt64) -> UInt64 {
    var word = value
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }

  /// Another seed that follows from a seed and a number, such as a part's place in a mix.
  @inline(__always)
  static func derived(_ seed: UInt64, _ number: UInt64) -> UInt64 {
    mixed(mixed(seed &+ 0x9e37_79b9_7f4a_7c15) ^ (number &+ 1) &* 0xd6e8_feb8_6659_fd93)
  }
}
