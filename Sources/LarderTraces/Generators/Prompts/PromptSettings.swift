/// The parameters of conversations with a language model, read.
struct PromptSettings: Sendable {
  /// New conversations per second.
  var arrivals: Double
  /// How many system prompts there are, and tokens of each.
  var systemPrompts: Int
  var systemTokens: Int
  /// Popularity of system prompts.
  var exponent: Double
  /// Tokens of a conversation's first prompt, and those that each turn adds.
  var firstTokens: ValueDistribution
  var addedTokens: ValueDistribution
  /// Tokens after which a conversation ends.
  var tokensMax: Int
  /// Milliseconds between two prompts of a conversation.
  var pauses: ValueDistribution
  /// Probability of a second prompt, and how many turns it takes to count for as much.
  var followUp: Double
  var weight: Double
  /// Probability that a prompt goes back to an earlier place of its conversation.
  var branch: Double
  var seed: UInt64
}
