/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Deterministic for a seed.
package struct SimulationRandom: Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package init(seed: UInt64, round: Int) {
    state = Self.mixed(Self.mixed(seed) ^ UInt64(truncatingIfNeeded: round))
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.finished(state)
  }

  package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  /// True with probability 1 / `times`.
  package mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

  package mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[below(choices.count)]
  }

  /// Hashes a number, without state: neighbours give unrelated results.
  static func mixed(_ number: UInt64) -> UInt64 { finished(number &+ 0x9E37_79B9_7F4A_7C15) }

  /// Hashes a name. `Hasher` would give other results in every process.
  static func mixed(_ seed: UInt64, _ name: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ seed
    for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return mixed(hash)
  }

  private static func finished(_ state: UInt64) -> UInt64 {
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
