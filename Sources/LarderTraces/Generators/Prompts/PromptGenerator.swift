/// Conversations with a language model, as a cache of prefixes sees them.
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
    let tokensMax = try parameters.count("tokens-max")
    let systemTokens = try parameters.count("system-tokens")
    guard systemTokens < tokensMax else {
      throw parameters.badValue("system-tokens", expected: "less than tokens-max")
    }
    func tokens(_ name: String, low: UInt32) throws(ComponentError) -> ValueDistribution {
      DistributionRegistry.logNormal(
        median: Double(try parameters.count(name)), sigma: try parameters.number("\(name)-sigma"),
        low: low, high: UInt32(tokensMax))
    }
    let settings = PromptSettings(
      arrivals: try parameters.number("arrivals"),
      systemPrompts: try parameters.count("system-prompts"), systemTokens: systemTokens,
      exponent: try parameters.number("exponent"),
      firstTokens: try tokens("first", low: UInt32(systemTokens) + 1),
      addedTokens: try tokens("added", low: 1), tokensMax: tokensMax,
      pauses: DistributionRegistry.logNormal(
        median: try parameters.seconds("pause") * 1000, sigma: try parameters.number("pause-sigma"),
        low: 1, high: 1 << 31),
      followUp: try parameters.share("follow-up"), weight: try parameters.number("weight"),
      branch: try parameters.share("branch"), seed: setup.seed)
    let shared = settings.systemPrompts * settings.systemBlocks
    // The last prompt may go beyond the requests.
    return GeneratorPlan(keyLimit: shared + setup.requests + tokensMax / 512 + 2) {
      PromptCursor(settings)
    }
  }

  private static let parameters = [
    GeneratorParameter(
      "arrivals", .number(0.001...1_000_000), default: "2.1", "New conversations per second.",
      origin: "7,373 conversations in 3,537 s"),
    GeneratorParameter(
      "system-prompts", .count(1...100_000), default: "1",
      "System prompts, of which each conversation has one.",
      origin: "every prompt begins with the same block"),
    GeneratorParameter(
      "system-tokens", .count(0...100_000), default: "512",
      "Tokens of a system prompt; only full blocks of 512 are shared.",
      origin: "the shared beginning is one block"),
    .exponent(default: "1", "Exponent of Zipf's law over system prompts."),
    GeneratorParameter(
      "first", .count(1...1_000_000), default: "5264",
      "Median of the tokens of a conversation's first prompt, its system prompt included.",
      origin: "median of first prompts"),
    GeneratorParameter(
      "first-sigma", .number(0...4), default: "1.2", "Spread of these tokens (log-normal).",
      origin: "90th percentile 25,561, mean 10,765"),
    GeneratorParameter(
      "added", .count(1...1_000_000), default: "471",
      "Median of the tokens that a prompt adds to the one before: the answer and the question.",
      origin: "median of 3,959 follow-ups"),
    GeneratorParameter(
      "added-sigma", .number(0...4), default: "1.5", "Spread of these tokens (log-normal).",
      origin: "mean 1,597"),
    GeneratorParameter(
      "tokens-max", .count(2...4_000_000), default: "128000",
      "Tokens of the longest prompt; a conversation that reaches them ends.",
      origin: "longest prompt: 126,195"),
    GeneratorParameter(
      "pause", .duration(0.001...1_000_000), default: "123s",
      "Median time between two prompts of a conversation.", origin: "median of follow-ups"),
    GeneratorParameter(
      "pause-sigma", .number(0...4), default: "1.05", "Spread of these times (log-normal).",
      origin: "mean 212 s, 90th percentile 474 s"),
    GeneratorParameter(
      "follow-up", .share, default: "30.7%",
      "Probability that a conversation has a second prompt.",
      origin: "2,265 of 7,373 conversations"),
    GeneratorParameter(
      "weight", .number(0.001...1_000_000), default: "5.1",
      "How slowly the probability grows: after n further prompts it is (follow-up x weight + n) / "
        + "(weight + n).",
      origin: "42 % of second prompts are followed by a third, 51 % of third by a fourth"),
    GeneratorParameter(
      "branch", .share, default: "15%",
      "Probability that a prompt branches off at an earlier block of its conversation.",
      origin: "699 of 4,658 follow-ups leave two or more blocks"),
  ]
}
