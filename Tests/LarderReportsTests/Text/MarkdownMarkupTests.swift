import LarderExperiments
import Testing

@testable import LarderReports

struct MarkdownMarkupTests {
  @Test(arguments: [
    ("a|b", "a\\|b"), ("<b>", "&lt;b&gt;"), ("a & b", "a &amp; b"), ("`x`", "\\`x\\`"),
    ("*a*", "\\*a\\*"), ("two\r\nlines", "two lines"), ("\\", "\\\\"),
    ("a\u{1B}[0m", "a\u{FFFD}\\[0m"),
    ("https://x", "https\\://x"), ("www.x", "www\\.x"), ("a|\u{301}b", "a\\|\u{301}b"),
    ("`\u{301}", "\\`\u{301}"), ("https:/\u{301}/", "https:/\u{301}/"),
    ("https://\u{301}", "https\\://\u{301}"), ("me@x", "me\\@x"),
  ])
  func escaped(_ text: String, _ expected: String) {
    #expect(MarkdownMarkup.escaped(text) == expected)
  }

  @Test(arguments: [
    ("lru", "`lru`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), ("a``b`", "``` a``b` ```"),
    ("a`\u{301}b", "``a`\u{301}b``"), ("`\u{301}", "`` `\u{301} ``"),
    ("", "`  `"),
    (" a ", "`  a  `"), ("a\nb", "`a b`"), ("<b>", "`<b>`"),
  ])
  func codeSpans(_ text: String, _ expected: String) {
    #expect(MarkdownMarkup.codeSpan(text) == expected)
  }

  @Test(arguments: [
    ("- item", "\\- item"), ("+ x", "\\+ x"), ("===", "\\==="), ("1. x", "1\\. x"),
    ("12) x", "12\\) x"), ("# x", "\\# x"), ("> x", "&gt; x"), ("1.5 is", "1\\.5 is"),
    ("a - b", "a - b"), ("\tx", "x"),
    (" - x", "\\- x"),
  ])
  func starts(_ text: String, _ expected: String) {
    #expect(MarkdownMarkup().text(of: .paragraph(Line(text: text))) == expected)
  }

  @Test func fences() {
    #expect(MarkdownMarkup().text(of: .code("a\n```\nb")) == "````\na\n```\nb\n````")
  }

  /// The title of a fold is HTML, and its contents are Markdown.
  @Test func folds() {
    let fold = Block.fold("a <b> `c`", [.paragraph("*x*"), .list(["y"])])
    #expect(
      MarkdownMarkup().text(of: fold)
        == "<details>\n<summary><strong>a &lt;b&gt; &#96;c&#96;</strong></summary>\n\n"
        + "\\*x\\*\n\n- y\n\n</details>")
  }

  @Test func namesBetweenBackticks() {
    #expect(
      Line.marked("with `a` and `b`.").parts
        == [.text("with "), .code("a"), .text(" and "), .code("b"), .text(".")])
    #expect(Line.marked("one ` only") == "one ` only")
  }

  /// Names do not affect the lines of a report nor the cells of its tables.
  @Test func hostileNamesKeepTheShape() throws {
    let expected = shape(try MarkdownReport().text(of: SampleResults.named("plain")))
    for text in HostileText.examples + HostileText.random(count: 300, seed: 5) {
      let report = try MarkdownReport().text(of: SampleResults.named(text))
      #expect(!report.contains("\u{1B}"))
      let found = shape(report)
      let line = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      #expect(line == nil && found.count == expected.count, "\(text.debugDescription)")
    }
  }

  /// The beginning of each line, and its number of cells.
  private func shape(_ report: String) -> [String] {
    report.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.hasPrefix("|") else {
        return line.isEmpty ? "" : String(line.unicodeScalars.prefix { $0 == "#" || $0 == "-" })
      }
      var cells = 0
      var isEscaped = false
      for character in line.unicodeScalars {
        if character == "|", !isEscaped { cells += 1 }
        isEscaped = character == "\\" && !isEscaped
      }
      return "| \(cells)"
    }
  }
}
