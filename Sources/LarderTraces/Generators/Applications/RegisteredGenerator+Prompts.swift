import LarderEngine

extension RegisteredGenerator {
  static let prompts = RegisteredGenerator(
    name: "llm-prefix",
    summary: """
      Prompts of conversations with a language model in blocks of 512 tokens, each a request. A \
      prompt repeats the one before and adds tokens; some branch off earlier. `requests` counts \
      blocks: about 24 a prompt.
      """,
    parameters: [
      .number("arrivals", 0.001...1_000_000, "2.1", "New conversations per second."),
      .count("system-prompts", 1...100_000, "1", "System prompts; each conversation has one."),
      .count("system-tokens", 0...100_000, "512", "Tokens of one; only full blocks are shared."),
      .exponent("1", "Exponent of Zipf's law over system prompts."),
      .count("first", 1...1_000_000, "5264", "Median tokens of a first prompt, all included."),
      .number("first-sigma", 0...4, "1.2", "Spread of these tokens (log-normal)."),
      .count("added", 1...1_000_000, "471", "Median tokens that a further prompt adds."),
      .number("added-sigma", 0...4, "1.5", "Spread of these tokens (log-normal)."),
      .count("tokens-max", 2...4_000_000, "128000", "Tokens at which a conversation ends."),
      .time("pause", 0.001...1_000_000, "123s", "Median time between prompts of a conversation."),
      .number("pause-sigma", 0...4, "1.05", "Spread of these times (log-normal)."),
      .share("follow-up", "30.7%", "Probability of a second prompt."),
      .number(
        "weight", 0.001...1_000_000, "5.1",
        "Inertia: after n more prompts it is (follow-up x weight + n) / (weight + n)."),
      .share("branch", "15%", "Probability that a prompt branches off at an earlier block."),
    ],
    columns: [.time, .prompt],
    source: """
      Structure and defaults fitted to Mooncake's conversation trace (12,031 prompts, 7,373 \
      conversations and 288,500 blocks in an hour): Qin et al., Mooncake, FAST 2025.
      """
  ) { setup throws(ComponentError) in
    let stream = try PromptStream(setup)
    // The last prompt may exceed the number of requests.
    return GeneratorPlan(
      keyLimit: stream.sharedBlocks + setup.requests + stream.tokensMax / 512 + 2, stream: stream)
  }
}

private struct PromptStream: BurstStream {
  private struct Conversation {
    var blocks: [UInt64] = []
    var tokens = 0
    var turns = 0
  }

  var burst = Burst()
  private let arrivals: Double
  /// Full blocks of a system prompt; only these can be shared.
  private let systemBlocks: Int
  private let firstTokens: ValueDistribution
  private let addedTokens: ValueDistribution
  let tokensMax: Int
  /// Milliseconds between two prompts of a conversation.
  private let pauses: ValueDistribution
  private let followUp: Double
  private let weight: Double
  private let branch: Double
  private let systems: ZipfSampler
  private var random: RandomStream
  private var queue = EventQueue()
  /// Active conversations, indexed by event id from 1 on; 0 is the next arrival.
  private var conversations: [Conversation] = [Conversation()]
  private var free: [Int] = []
  private var nextKey: UInt64
  private var time = 0.0
  let sharedBlocks: Int

  init(_ setup: GeneratorSetup) throws(ComponentError) {
    let tokensMax = try setup.whole("tokens-max")
    let systemTokens = try setup.whole("system-tokens")
    guard systemTokens < tokensMax else {
      throw setup.parameters.wrong("system-tokens", expected: "less than tokens-max")
    }
    func tokens(_ name: String, low: UInt32) throws(ComponentError) -> ValueDistribution {
      try setup.sizes(name, sigma: try setup.number("\(name)-sigma"), low...UInt32(tokensMax))
    }
    self.tokensMax = tokensMax
    arrivals = try setup.number("arrivals")
    systemBlocks = systemTokens / PreparedTrace.promptBlock
    firstTokens = try tokens("first", low: UInt32(systemTokens) + 1)
    addedTokens = try tokens("added", low: 1)
    pauses = DistributionRegistry.logNormal(
      median: try setup.number("pause") * 1000, sigma: try setup.number("pause-sigma"), low: 1,
      high: 1 << 31)
    followUp = try setup.number("follow-up")
    weight = try setup.number("weight")
    branch = try setup.number("branch")
    let prompts = try setup.whole("system-prompts")
    systems = try setup.sampler(of: prompts)
    random = RandomStream(seed: setup.seed, purpose: 0x11a9)
    sharedBlocks = prompts * systemBlocks
    nextKey = UInt64(sharedBlocks)
    queue.insert(EventQueue.Event(time: 0, id: 0))
  }

  mutating func step() {
    // The next arrival is always in the queue.
    guard let event = queue.next() else { return }
    if event.id == 0 { arrive(at: event.time) } else { turn(Int(event.id), at: event.time) }
  }

  private mutating func arrive(at now: UInt64) {
    time += random.nextExponential() / arrivals
    queue.insert(EventQueue.Event(time: UInt64(min(time, 1e12) * 1e6), id: 0))
    let first = (systems.rank(&random) - 1) * UInt64(systemBlocks)
    let conversation = Conversation(
      blocks: (0..<UInt64(systemBlocks)).map { first + $0 },
      tokens: systemBlocks * PreparedTrace.promptBlock)
    let place = free.popLast() ?? conversations.count
    if place == conversations.count { conversations.append(Conversation()) }
    conversations[place] = conversation
    add(Int(firstTokens.value(random.next())) - conversation.tokens, to: place, now)
  }

  private mutating func turn(_ place: Int, at now: UInt64) {
    if random.nextUnit() < branch {
      let blocks = conversations[place].blocks.count
      if blocks > systemBlocks {
        let kept = systemBlocks + Int(random.next(below: UInt64(blocks - systemBlocks)))
        conversations[place].blocks.removeLast(blocks - kept)
        conversations[place].tokens = kept * PreparedTrace.promptBlock
      }
    }
    add(Int(addedTokens.value(random.next())), to: place, now)
  }

  private mutating func add(_ tokens: Int, to place: Int, _ now: UInt64) {
    let block = PreparedTrace.promptBlock
    let total = min(conversations[place].tokens + max(1, tokens), tokensMax)
    conversations[place].tokens = total
    conversations[place].turns += 1
    while conversations[place].blocks.count < total / block {
      conversations[place].blocks.append(nextKey)
      nextKey += 1
    }
    for key in conversations[place].blocks { burst.append(TraceRecord(key: key, time: now)) }
    if total % block > 0 {
      burst.append(TraceRecord(key: nextKey, time: now))
      nextKey += 1
    }
    burst.beginPrompt(UInt32(total) + 1)
    let turns = Double(conversations[place].turns - 1)
    let goesOn = (followUp * weight + turns) / (weight + turns)
    guard total < tokensMax, random.nextUnit() < goesOn else {
      conversations[place] = Conversation()
      free.append(place)
      return
    }
    let pause = UInt64(pauses.value(random.next())) * 1000
    queue.insert(EventQueue.Event(time: now + pause, id: UInt32(place)))
  }
}
