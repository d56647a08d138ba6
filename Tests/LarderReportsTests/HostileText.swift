/// Hostile text for workload files and names of traces.
enum HostileText {
  static let examples = [
    "", " ", "plain", "a,b", "say \"hi\"", "two\nlines", "two\r\nlines", "tab\there", "=1+1",
    "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'quoted'", "a|b", "`code`", "``", "a`b|c", "<b>bold</b>",
    "<script>alert(1)</script>", "[link](https://example.com)", "![image](x)",
    "https://example.com",
    "www.example.com", "# heading", "- item", "1. item", "> quote", "a & b", "&lt;", "*a* _b_ ~c~",
    "\\", "ends with \\", "```\ncode", "\u{1B}[31mred\u{1B}[0m", "nul\0", "\u{202E}reversed", "日本語",
    "é", "🙂,\"|", "===", "+++", "| a |", "\u{2028}line", "$x$", "a::b", "---",
    "a|\u{301}b", "`\u{301}![x](y)", "[\u{301}x](y)", "<\u{301}b>",
  ]

  static func random(count: Int, seed: UInt64) -> [String] {
    let alphabet = Array("ab ,\"\n\r\t=+-@|`<>[]()*_\\#&'1.!~$:/\u{1B}é") + ["\u{301}"]
    var random = SplitMix(state: seed)
    return (0..<count).map { _ in
      String(
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
          alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        })
    }
  }
}
