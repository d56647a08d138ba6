import LarderEngine
import LarderTraces

/// Steps a simulation through prompts and counts of each how many blocks were hits, from its front.
///
/// Every block is an ordinary request: the simulation does not know of prompts. Whether a request
/// was a hit is read from its counts, one request at a time; a prompt taken front first is only
/// stepped through up to its first miss.
package struct PrefixReplay {
  private let simulation: any Simulation
  private let trace: PreparedTrace
  private let order: PromptOrder
  /// Tokens of a block.
  private let block: UInt64
  /// What was found so far.
  package private(set) var counts = PrefixCounts()

  // The prompt that is being replayed: its end, its tokens, and whether it began after the warm-up.
  private var end = 0
  private var inputTokens: UInt64 = 0
  private var isCounted = false
  /// Hits from its front, as far as is known: front first those up to the first miss, tail first
  /// those since the last one.
  private var hits: UInt64 = 0
  private var isBroken = false

  /// A replay of `trace`, whose prompts are in `order` already.
  package init(_ simulation: any Simulation, over trace: PreparedTrace, order: PromptOrder) {
    self.simulation = simulation
    self.trace = trace
    self.order = order
    block = UInt64(trace.tokensPerBlock())
  }

  /// The trace as it is replayed in an order.
  static func trace(
    _ trace: PreparedTrace, in order: PromptOrder
  ) throws(TraceError) -> PreparedTrace {
    order == .tail ? try trace.tailFirst() : trace
  }

  /// Replays requests as `Simulation.run` does.
  package mutating func run(upTo last: Int, untilFirstEviction: Bool) -> Bool {
    while simulation.position < last {
      if simulation.position == end { begin() }
      let hasStopped: Bool
      if isBroken, order == .front {
        hasStopped = simulation.run(
          upTo: min(end, last), untilFirstEviction: untilFirstEviction)
      } else {
        let before = simulation.counts.hits
        hasStopped = simulation.run(
          upTo: simulation.position + 1, untilFirstEviction: untilFirstEviction)
        note(isHit: simulation.counts.hits > before)
      }
      if simulation.position == end { finish() }
      if hasStopped { return true }
    }
    return false
  }

  /// Counts from here on: prompts that have begun already are not counted.
  package mutating func resetCounts() {
    simulation.resetCounts()
    counts = PrefixCounts()
    isCounted = false
  }

  private mutating func begin() {
    let start = simulation.position
    end = trace.promptEnd(from: start)
    let prompt = trace.prompts?[start] ?? 1
    inputTokens = UInt64(prompt) - 1
    isCounted = true
    hits = 0
    isBroken = false
  }

  private mutating func note(isHit: Bool) {
    if isHit { hits += 1 }
    guard !isHit else { return }
    isBroken = true
    if order == .tail { hits = 0 }
  }

  private mutating func finish() {
    guard isCounted else { return }
    counts.prompts += 1
    counts.hits += hits
    counts.tokens += min(block * hits, inputTokens)
    counts.inputTokens += inputTokens
  }
}

/// What a cache answered of the prefixes of prompts. A pure function of workload, configuration and
/// seed, like `Counts`; of the prompts that begin after the warm-up.
public struct PrefixCounts: Sendable, Hashable, Codable {
  /// Prompts.
  public var prompts: UInt64 = 0
  /// Blocks of prompts ahead of the first that was not a hit, counted from the front.
  public var hits: UInt64 = 0
  /// Tokens in these blocks: 512 a block, at most those of the prompt.
  public var tokens: UInt64 = 0
  /// Tokens of the prompts.
  public var inputTokens: UInt64 = 0

  /// Nothing has happened yet.
  public init() {}

  /// The tokens that were not computed, as a share of those of all prompts; nil without prompts.
  public var tokenShare: Double? {
    inputTokens > 0 ? Double(tokens) / Double(inputTokens) : nil
  }

  /// The first contradiction in counts that were read from a file, or nil.
  package var fault: String? {
    tokens > inputTokens ? "more tokens of prefixes than of prompts" : nil
  }
}
