import LarderEngine
import LarderTraces

/// Steps a simulation through prompts and counts the hits at the front of each.
package struct PrefixReplay {
  private let simulation: any Simulation
  private let trace: PreparedTrace
  private let order: PromptOrder
  private let block: UInt64
  package private(set) var counts = PrefixCounts()
  private var evicted: UInt64 = 0

  // The current prompt: its end, its tokens, and true if it began after the warm-up.
  private var end = 0
  private var inputTokens: UInt64 = 0
  private var isCounted = false
  private var hits: UInt64 = 0
  private var isBroken = false
  private var found: [Bool] = []

  package init(_ simulation: any Simulation, over trace: PreparedTrace, order: PromptOrder) {
    self.simulation = simulation
    self.trace = trace
    self.order = order
    block = UInt64(trace.tokensPerBlock())
  }

  static func trace(
    _ trace: PreparedTrace, in order: PromptOrder
  ) throws(TraceError) -> PreparedTrace {
    order == .tail ? try trace.tailFirst() : trace
  }

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

/// Prefix hits of prompts.
public struct PrefixCounts: Sendable, Hashable, Codable {
  /// Number of prompts.
  public var prompts: UInt64 = 0
  /// Number of blocks before the first miss of a prompt, counted from the front.
  public var hits: UInt64 = 0
  /// Number of tokens in these blocks: 512 per block, at most those of the prompt.
  public var tokens: UInt64 = 0
  /// Number of tokens of the prompts.
  public var inputTokens: UInt64 = 0

  /// Tokens that were not computed, as a share of those of all prompts; nil without prompts.
  public var tokenShare: Double? { inputTokens > 0 ? Double(tokens) / Double(inputTokens) : nil }

  package var fault: String? {
    tokens > inputTokens ? "more tokens of prefixes than of prompts" : nil
  }
}
