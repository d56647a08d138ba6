/// The number of tokens of a block, from lengths of prompts and their numbers of blocks.
struct PromptBlockGuess {
  /// Bounds where the last block of a prompt may have fewer tokens than the others.
  private var partial = (low: 1, high: Int.max)
  /// Bounds where only full blocks are listed.
  private var full = (low: 1, high: Int.max)
  /// Prompts that each power of two fits.
  private var fits = [Int](repeating: 0, count: 21)

  /// Adds a prompt.
  mutating func add(tokens: Int, blocks: Int) {
    guard tokens > 0, tokens < 1 << 40, blocks > 0 else { return }
    partial.low = max(partial.low, (tokens - 1) / blocks + 1)
    if blocks > 1 { partial.high = min(partial.high, (tokens - 1) / (blocks - 1)) }
    full.low = max(full.low, tokens / (blocks + 1) + 1)
    full.high = min(full.high, tokens / blocks)
    for power in fits.indices where (tokens - 1) >> power + 1 == blocks { fits[power] += 1 }
  }

  /// 512 where all prompts allow that, or else the power of two that they allow, or that most
  /// allow.
  var tokens: Int {
    for (low, high) in [partial, full] where low <= high {
      if (low...high).contains(PreparedTrace.promptBlock) { return PreparedTrace.promptBlock }
      if let power = Self.power(from: low), power <= high { return power }
      return low
    }
    // Some lines are wrong: what most of them say.
    let usual = fits[PreparedTrace.promptBlock.trailingZeroBitCount]
    guard let most = fits.max(), most > usual, let power = fits.firstIndex(of: most) else {
      return PreparedTrace.promptBlock
    }
    return 1 << power
  }

  /// The lowest power of two that is at least `low`.
  private static func power(from low: Int) -> Int? {
    (0..<31).lazy.map { 1 << $0 }.first { $0 >= low }
  }
}
