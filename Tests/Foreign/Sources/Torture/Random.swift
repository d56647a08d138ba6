/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
struct Random: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  init(seed: UInt64, round: Int) {
    var mixer = Random(seed: seed)
    state = mixer.next() ^ UInt64(round) &* 0xD6E8_FEB8_6659_FD93
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

  /// True with probability 1 / `times`.
  mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

  mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}
