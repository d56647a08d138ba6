import LarderEngine

extension WorkloadKeys {
  /// Caches of prefixes.
  static let prefix = Section<PrefixSpec>(
    "prefix", "Requests are blocks of prompts, and hits count from the front of a prompt.",
    expected: "a map such as {order: tail, prefill: 8000 tokens/s}",
    keys: [
      Key(
        "order", .choice(), \.order,
        "the order in which the blocks of a prompt are requested: `front`, as listed, or `tail`, "
          + "the last one first, so that LRU evicts the front of a prompt last",
        default: "`front`", example: "tail"),
      Key(
        "prefill", .prefill, \.prefillTokensPerSecond,
        "tokens that the model reads per second when it computes a prompt, from which the report "
          + "estimates the time to the first token",
        default: "none; the report counts tokens only", example: "8000 tokens/s"),
    ])
}

extension Form where Value == Double {
  fileprivate static var prefill: Form {
    Form(.text(#"[0-9][0-9_]*(\.[0-9]+)?(k|K|M|G|e[0-9]+)? ?tokens/s"#)) { value, _ in
      let expected = "tokens per second such as 8000 tokens/s"
      let text = try value.text(expected: expected)
      guard let rate = PrefixSpec.prefill(parsing: text) else { throw value.unexpected(expected) }
      return rate
    }
  }
}
