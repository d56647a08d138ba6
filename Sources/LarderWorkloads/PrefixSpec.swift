/// What a workload file or the command line says of caches of prefixes.
package struct PrefixSpec: Sendable, Hashable {
  /// In which order the blocks of a prompt are requested.
  package var order: PromptOrder
  /// Tokens that the model reads per second when it computes a prompt; nil where nobody says so.
  package var prefillTokensPerSecond: Double?

  /// Blocks in an order.
  package init(order: PromptOrder = .front, prefillTokensPerSecond: Double? = nil) {
    self.order = order
    self.prefillTokensPerSecond = prefillTokensPerSecond
  }

  /// Tokens per second such as `8000 tokens/s` or `8k tokens/s`, at least 1; nil for anything else.
  package static func prefill(parsing text: String) -> Double? {
    guard text.hasSuffix("tokens/s"),
      let number = Quantity.count(text.dropLast("tokens/s".count).trimmed),
      (1...1_000_000_000).contains(number)
    else { return nil }
    return Double(number)
  }
}
