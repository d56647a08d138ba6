import LarderEngine

extension PreparedTrace {
  /// Default number of tokens per block of a prompt; the last one of a prompt may have fewer.
  package static let promptBlock = 512

  /// Tokens per block of this trace's prompts, inferred from their lengths and numbers of blocks.
  package func tokensPerBlock() -> Int {
    guard let prompts, reading.sampling.rate == 1 else { return Self.promptBlock }
    var guess = PromptBlockGuess()
    var start = 0
    while start < requests.count {
      let end = promptEnd(from: start)
      guess.add(tokens: Int(prompts[start]) - 1, blocks: end - start)
      start = end
    }
    return guess.tokens
  }

  /// Index after the last request of the prompt that begins at an index.
  package func promptEnd(from start: Int) -> Int {
    var end = start + 1
    while end < requests.count, prompts?[end] == 0 { end += 1 }
    return end
  }

  func turn() throws(TraceError) -> PreparedTrace {
    guard let prompts else { throw TraceError("has no prompts", in: name) }
    var positions: [Int] = []
    positions.reserveCapacity(requests.count)
    while positions.count < requests.count {
      positions += (positions.count..<promptEnd(from: positions.count)).reversed()
    }
    let storage = ColumnStorage()
    let ids = try requests.gather(requests.ids, positions, storage) ?? requests.ids
    let columns = try requests.gathered(positions, ids: ids, objects: requests.objects, storage)
    // The beginnings and lengths of prompts do not change.
    let same = try GrowableColumn<UInt32>(capacity: max(1, requests.count))
    same.base.update(from: prompts, count: requests.count)
    return PreparedTrace(
      name: name, requests: columns, footprint: footprint, timesRaised: timesRaised,
      reading: reading, prompts: storage.adopt(same, count: requests.count))
  }
}

struct PromptBlockGuess {
  /// Bounds if the last block of a prompt may be partial.
  private var partial = (low: 1, high: Int.max)
  /// Bounds if only full blocks are listed.
  private var full = (low: 1, high: Int.max)
  private var fits = [Int](repeating: 0, count: 21)

  mutating func add(tokens: Int, blocks: Int) {
    guard tokens > 0, tokens < 1 << 40, blocks > 0 else { return }
    partial.low = max(partial.low, (tokens - 1) / blocks + 1)
    if blocks > 1 { partial.high = min(partial.high, (tokens - 1) / (blocks - 1)) }
    full.low = max(full.low, tokens / (blocks + 1) + 1)
    full.high = min(full.high, tokens / blocks)
    for power in fits.indices where (tokens - 1) >> power + 1 == blocks { fits[power] += 1 }
  }

  /// 512 if it fits all prompts, or else the power of two that fits all, or that fits most.
  var tokens: Int {
    for (low, high) in [partial, full] where low <= high {
      if (low...high).contains(PreparedTrace.promptBlock) { return PreparedTrace.promptBlock }
      if let power = Self.power(from: low), power <= high { return power }
      return low
    }
    // Some lines are wrong: follow the majority.
    let usual = fits[PreparedTrace.promptBlock.trailingZeroBitCount]
    guard let most = fits.max(), most > usual, let power = fits.firstIndex(of: most) else {
      return PreparedTrace.promptBlock
    }
    return 1 << power
  }

  private static func power(from low: Int) -> Int? {
    (0..<31).lazy.map { 1 << $0 }.first { $0 >= low }
  }
}
