/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the tests' own random numbers.
package struct TestRandom: RandomNumberGenerator {
  private var state: UInt64

  /// Numbers that follow from `seed` alone.
  package init(seed: UInt64) { state = seed }

  /// The next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `bound` - 1. The remainder is all but uniform for such small bounds, and
  /// unlike the standard library's choice it can never change.
  package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// True once in `times`.
  package mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

  /// One of the elements.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
