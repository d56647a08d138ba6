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
