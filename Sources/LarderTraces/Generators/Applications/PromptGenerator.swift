import LarderEngine

/// Conversations with a language model, from the view of a prefix cache.
enum PromptGenerator: Generator {
  static let description = GeneratorDescription(
    name: "llm-prefix",
    summary: """
      Prompts of conversations with a language model, cut into blocks of 512 tokens, each request \
      being a block. A conversation begins with a system prompt that it shares with others, each \
      of its prompts repeats the one before and adds tokens, and some go back to an earlier place \
      and branch off. `requests` counts blocks: about 24 a prompt.
      """,
    parameters: parameters, columns: [.time, .prompt],
    source: """
      Structure and defaults fitted to Mooncake's conversation trace (12,031 prompts and 288,500 \
      blocks in an hour): Qin et al., Mooncake, FAST 2025.
      """)

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let parameters = setup.parameters
    let tokensMax = try parameters.whole("tokens-max")
    let systemTokens = try parameters.whole("system-tokens")
    guard systemTokens < tokensMax else {
      throw parameters.wrong("system-tokens", expected: "less than tokens-max")
    }
    func tokens(_ name: String, low: UInt32) throws(ComponentError) -> ValueDistribution {
      DistributionRegistry.logNormal(
        median: Double(try parameters.whole(name)), sigma: try parameters.number("\(name)-sigma"),
        low: low, high: UInt32(tokensMax))
    }
    let settings = PromptSettings(
      arrivals: try parameters.number("arrivals"),
      systemPrompts: try parameters.whole("system-prompts"), systemTokens: systemTokens,
      exponent: try parameters.number("exponent"),
      firstTokens: try tokens("first", low: UInt32(systemTokens) + 1),
      addedTokens: try tokens("added", low: 1), tokensMax: tokensMax,
      pauses: DistributionRegistry.logNormal(
        median: try parameters.number("pause") * 1000, sigma: try parameters.number("pause-sigma"),
        low: 1, high: 1 << 31),
      followUp: try parameters.number("follow-up"), weight: try parameters.number("weight"),
      branch: try parameters.number("branch"), seed: setup.seed)
    let shared = settings.systemPrompts * settings.systemBlocks
    // The last prompt may exceed the number of requests.
    return GeneratorPlan(keyLimit: shared + setup.requests + tokensMax / 512 + 2) {
      PromptCursor(settings)
    }
  }

  private static let parameters = [
    Parameter(
      "arrivals", .number(0.001...1_000_000), default: "2.1", "New conversations per second.",
      origin: "7,373 conversations in 3,537 s"),
    Parameter(
      "system-prompts", .count(1...100_000), default: "1",
      "System prompts, of which each conversation has one.",
      origin: "every prompt begins with the same block"),
    Parameter(
      "system-tokens", .count(0...100_000), default: "512",
      "Tokens of a system prompt; only full blocks of 512 are shared.",
      origin: "the shared beginning is one block"),
    .exponent(default: "1", "Exponent of Zipf's law over system prompts."),
    Parameter(
      "first", .count(1...1_000_000), default: "5264",
      "Median of the tokens of a conversation's first prompt, its system prompt included.",
      origin: "median of first prompts"),
    Parameter(
      "first-sigma", .number(0...4), default: "1.2", "Spread of these tokens (log-normal).",
      origin: "90th percentile 25,561, mean 10,765"),
    Parameter(
      "added", .count(1...1_000_000), default: "471",
      "Median of the tokens that a prompt adds to the one before: the answer and the question.",
      origin: "median of 3,959 follow-ups"),
    Parameter(
      "added-sigma", .number(0...4), default: "1.5", "Spread of these tokens (log-normal).",
      origin: "mean 1,597"),
    Parameter(
      "tokens-max", .count(2...4_000_000), default: "128000",
      "Tokens of the longest prompt; a conversation that reaches them ends.",
      origin: "longest prompt: 126,195"),
    Parameter(
      "pause", .duration(0.001...1_000_000), default: "123s",
      "Median time between two prompts of a conversation.", origin: "median of follow-ups"),
    Parameter(
      "pause-sigma", .number(0...4), default: "1.05", "Spread of these times (log-normal).",
      origin: "mean 212 s, 90th percentile 474 s"),
    Parameter(
      "follow-up", .share, default: "30.7%",
      "Probability that a conversation has a second prompt.",
      origin: "2,265 of 7,373 conversations"),
    Parameter(
      "weight", .number(0.001...1_000_000), default: "5.1",
      "Inertia of that probability: after n further prompts it is (follow-up x weight + n) / "
        + "(weight + n).",
      origin: "42 % of second prompts are followed by a third, 51 % of third by a fourth"),
    Parameter(
      "branch", .share, default: "15%",
      "Probability that a prompt branches off at an earlier block of its conversation.",
      origin: "699 of 4,658 follow-ups leave two or more blocks"),
  ]
}

/// Parsed parameters of conversations with a language model.
struct PromptSettings: Sendable {
  /// New conversations per second.
  var arrivals: Double
  /// Number of system prompts, and tokens of each.
  var systemPrompts: Int
  var systemTokens: Int
  /// Popularity of system prompts.
  var exponent: Double
  /// Tokens of a conversation's first prompt, and tokens added per turn.
  var firstTokens: ValueDistribution
  var addedTokens: ValueDistribution
  /// Number of tokens at which a conversation ends.
  var tokensMax: Int
  /// Milliseconds between two prompts of a conversation.
  var pauses: ValueDistribution
  /// Probability of a second prompt, and the number of turns that count as much as that
  /// probability.
  var followUp: Double
  var weight: Double
  /// Probability that a prompt goes back to an earlier point of its conversation.
  var branch: Double
  var seed: UInt64
}

/// Blocks of the prompts of conversations with a language model, one prompt at a time.
///
/// A block's key identifies the whole prefix up to its end, so a conversation keeps the keys of its
/// full blocks. The last block of a prompt is usually not full and is replaced in the
/// conversation's next prompt.
final class PromptCursor: RecordCursor {
  /// An active conversation.
  private struct Conversation {
    /// Keys of its full blocks.
    var blocks: [UInt64] = []
    var tokens = 0
    var turns = 0
    /// Number of its blocks that belong to a system prompt.
    var shared = 0
  }

  private let settings: PromptSettings
  private var random: RandomStream
  private let systems: ZipfSampler
  private var queue = EventQueue()
  // Active conversations, indexed by event id from 1 on; 0 is the next arrival.
  private var conversations: [Conversation] = [Conversation()]
  private var free: [Int] = []
  private var nextKey: UInt64
  private var time = 0.0
  private var prompt: [TraceRecord] = []
  private var handedOut = 0

  init(_ settings: PromptSettings) {
    self.settings = settings
    random = RandomStream(seed: settings.seed, purpose: 0x11a9)
    systems = ZipfSampler(count: settings.systemPrompts, exponent: settings.exponent)
    nextKey = UInt64(settings.systemPrompts * settings.systemBlocks)
    queue.insert(EventQueue.Event(time: 0, id: 0))
  }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) -> Int {
    while handedOut == prompt.count {
      prompt.removeAll(keepingCapacity: true)
      handedOut = 0
      // The next arrival is always in the queue.
      guard let event = queue.next() else { return 0 }
      if event.id == 0 { arrive(at: event.time) } else { turn(Int(event.id), at: event.time) }
    }
    let count = min(buffer.count, prompt.count - handedOut)
    for place in 0..<count { buffer[place] = prompt[handedOut + place] }
    handedOut += count
    return count
  }

  private func arrive(at now: UInt64) {
    time += random.nextExponential() / settings.arrivals
    queue.insert(EventQueue.Event(time: UInt64(min(time, 1e12) * 1e6), id: 0))
    var conversation = Conversation()
    let system = systems.rank(&random) - 1
    conversation.shared = settings.systemBlocks
    let first = UInt64(system) * UInt64(settings.systemBlocks)
    for block in 0..<settings.systemBlocks { conversation.blocks.append(first + UInt64(block)) }
    conversation.tokens = settings.systemBlocks * PreparedTrace.promptBlock
    let place = free.popLast() ?? conversations.count
    if place == conversations.count { conversations.append(Conversation()) }
    conversations[place] = conversation
    add(Int(settings.firstTokens.value(random.next())) - conversation.tokens, to: place, now)
  }

  private func turn(_ place: Int, at now: UInt64) {
    if random.nextUnit() < settings.branch {
      let (shared, blocks) = (conversations[place].shared, conversations[place].blocks.count)
      if blocks > shared {
        let kept = shared + Int(random.next(below: UInt64(blocks - shared)))
        conversations[place].blocks.removeLast(blocks - kept)
        conversations[place].tokens = kept * PreparedTrace.promptBlock
      }
    }
    add(Int(settings.addedTokens.value(random.next())), to: place, now)
  }

  /// Adds a prompt with `tokens` more tokens than the conversation, at least one.
  private func add(_ tokens: Int, to place: Int, _ now: UInt64) {
    let block = PreparedTrace.promptBlock
    let total = min(conversations[place].tokens + max(1, tokens), settings.tokensMax)
    conversations[place].tokens = total
    conversations[place].turns += 1
    while conversations[place].blocks.count < total / block {
      conversations[place].blocks.append(nextKey)
      nextKey += 1
    }
    for key in conversations[place].blocks { prompt.append(TraceRecord(key: key, time: now)) }
    if total % block > 0 {
      prompt.append(TraceRecord(key: nextKey, time: now))
      nextKey += 1
    }
    prompt[0].prompt = UInt32(total) + 1
    let turns = Double(conversations[place].turns - 1)
    let goesOn = (settings.followUp * settings.weight + turns) / (settings.weight + turns)
    guard total < settings.tokensMax, random.nextUnit() < goesOn else {
      conversations[place] = Conversation()
      free.append(place)
      return
    }
    let pause = UInt64(settings.pauses.value(random.next())) * 1000
    queue.insert(EventQueue.Event(time: now + pause, id: UInt32(place)))
  }
}

extension PromptSettings {
  /// Full blocks of a system prompt; only these can be shared.
  var systemBlocks: Int { systemTokens / PreparedTrace.promptBlock }
}
