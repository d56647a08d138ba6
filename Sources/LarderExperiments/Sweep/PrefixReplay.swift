import LarderEngine
import LarderTraces

/// Steps a simulation through prompts and counts the hits at the front of each.
///
/// All blocks are ordinary requests: the simulation does not know of prompts. In front-first order,
/// hits are determined from its counts, and a prompt is single-stepped only up to its first miss.
/// In tail-first order a prompt is looked up before any of its blocks is stored, as in `vllm`. It
/// uses the blocks that it has found until it frees the prompt: a block that the simulation evicts
/// to store another one of the same prompt was found.
package struct PrefixReplay {
  private let simulation: any Simulation
  private let trace: PreparedTrace
  private let order: PromptOrder
  /// Tokens per block.
  private let block: UInt64
  /// Counts so far.
  package private(set) var counts = PrefixCounts()
  /// Number of blocks that were found, and that the simulation evicted before their request.
  private var evicted: UInt64 = 0

  // The current prompt: its end, its tokens, and true if it began after the warm-up.
  private var end = 0
  private var inputTokens: UInt64 = 0
  private var isCounted = false
  /// Known hits at the front of the prompt.
  private var hits: UInt64 = 0
  private var isBroken = false
  /// In tail-first order, the blocks of the prompt that were found, by their requests.
  private var found: [Bool] = []

  /// Creates a replay of `trace`, whose prompts must already be in `order`.
  package init(_ simulation: any Simulation, over trace: PreparedTrace, order: PromptOrder) {
    self.simulation = simulation
    self.trace = trace
    self.order = order
    block = UInt64(trace.tokensPerBlock())
  }

  /// The trace in the form for replaying in an order.
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

  /// Restarts counting: prompts that have already begun are not counted.
  package mutating func resetCounts() {
    simulation.resetCounts()
    counts = PrefixCounts()
    evicted = 0
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
    if order == .tail {
      found = (start..<end).map { simulation.holds(trace.requests.ids[$0]) }
      hits = UInt64(found.reversed().prefix { $0 }.count)
    }
  }

  private mutating func note(isHit: Bool) {
    guard order == .tail else {
      if isHit { hits += 1 } else { isBroken = true }
      return
    }
    let place = simulation.position - 1
    guard !isHit, found[found.count - (end - place)] else { return }
    evicted += 1
  }

  /// The simulation's counts, with hits of blocks that were found.
  package func corrected(isDisk: Bool) -> Counts {
    var counts = simulation.counts
    // A block has size 1.
    if isDisk {
      counts.diskHits += evicted
      counts.diskBytesHit += evicted
    } else {
      counts.memoryHits += evicted
      counts.memoryBytesHit += evicted
    }
    return counts
  }

  private mutating func finish() {
    guard isCounted else { return }
    counts.prompts += 1
    counts.hits += hits
    counts.tokens += min(block * hits, inputTokens)
    counts.inputTokens += inputTokens
  }
}

/// Prefix hits of prompts. A pure function of workload, configuration and seed, like `Counts`;
/// counts the prompts that begin after the warm-up.
public struct PrefixCounts: Sendable, Hashable, Codable {
  /// Number of prompts.
  public var prompts: UInt64 = 0
  /// Number of blocks before the first miss of a prompt, counted from the front.
  public var hits: UInt64 = 0
  /// Number of tokens in these blocks: 512 per block, at most those of the prompt.
  public var tokens: UInt64 = 0
  /// Number of tokens of the prompts.
  public var inputTokens: UInt64 = 0

  /// Creates counts of zero.
  public init() {}

  /// Tokens that were not computed, as a share of those of all prompts; nil without prompts.
  public var tokenShare: Double? {
    inputTokens > 0 ? Double(tokens) / Double(inputTokens) : nil
  }

  /// First contradiction in counts read from a file; nil without one.
  package var fault: String? {
    tokens > inputTokens ? "more tokens of prefixes than of prompts" : nil
  }
}
