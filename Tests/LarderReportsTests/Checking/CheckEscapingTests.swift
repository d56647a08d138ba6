import Foundation
import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderReports

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Hostile names in every form of a check.
struct CheckEscapingTests {
  private static let names =
    HostileText.examples + HostileText.random(count: 200, seed: 11) + [
      "]]>", "<!--", "&#0;", "\u{B}", "\u{FFFE}", "\u{FFFF}", "%0A::error::x", "a::b,c", "%",
      "\r\n::warning::x", "::error::x",
    ]

  private func result(_ name: String) -> CheckResult {
    var before = SampleCheck.before
    var after = SampleCheck.after
    before[0].name.policy = name
    after[0].name.policy = name
    var result = SampleCheck.full
    result.workload = name
    result.file = name
    result.baseline = name
    result.command = name
    result.machine = name
    result.counts = CountsComparison(from: before, to: after)
    result.cells = after.map(\.name)
    result.traceChanges = [name]
    result.notes = [name]
    result.timings[0].name.cell.policy = name
    result.timings[0].against = name
    return result
  }

  @Test func xmlStaysXML() throws {
    func elements(_ text: String) throws -> Int {
      let document = try XMLDocument(data: Data(text.utf8))
      return try document.nodes(forXPath: "//*").count
    }
    let plain = try elements(CheckJUnit.text(of: result("plain")))
    for name in Self.names {
      let text = CheckJUnit.text(of: result(name))
      #expect(try elements(text) == plain, "\(name.debugDescription)")
    }
  }

  @Test func xmlTextHasNoInvalidCharacters() {
    let all = (0...0x2FF).compactMap { Unicode.Scalar($0) } + ["\u{FFFE}", "\u{FFFF}", "\u{FFFD}"]
    for scalar in all {
      for character in XMLText.escaped("\(scalar)").unicodeScalars {
        #expect(character.value >= 0x20 && character.value != 0xFFFE && character.value != 0xFFFF)
        #expect(!"<>\"'".unicodeScalars.contains(character))
      }
    }
    #expect(XMLText.escaped("a&b") == "a&amp;b")
  }

  /// Each annotation is one line, and no name begins another or ends its title.
  @Test func annotationsStayAnnotations() {
    let plain = CheckAnnotations.text(of: result("plain")).split(separator: "\n").count
    for name in Self.names {
      let lines = CheckAnnotations.text(of: result(name))
        .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
        .dropLast()
      #expect(lines.count == plain, "\(name.debugDescription)")
      for line in lines {
        let scalars = line.unicodeScalars
        #expect(
          ["::error file=", "::warning file="].contains { scalars.starts(with: $0.unicodeScalars) })
        let head = scalars.dropFirst(2).prefix { $0 != ":" }
        #expect(head.count { $0 == "," } == 1, "\(line)")
      }
    }
    #expect(
      CheckAnnotations.escaped(":\u{301}%\u{301}", isProperty: true) == "%3A\u{301}%25\u{301}")
    #expect(CheckAnnotations.escaped("100%\r\n", isProperty: false) == "100%25%0D%0A")
    #expect(CheckAnnotations.escaped("a:b,c", isProperty: true) == "a%3Ab%2Cc")
    #expect(CheckAnnotations.escaped("a:b,c", isProperty: false) == "a:b,c")
  }

  /// Tables keep their columns, and no name becomes a heading, a table or HTML.
  @Test func markdownStaysInItsTables() {
    func outside(_ text: String) -> [Substring] {
      var fence: Substring?
      return text.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
        if line == fence {
          fence = nil
          return false
        }
        if fence == nil, line.hasPrefix("```"), line.allSatisfy({ $0 == "`" }) { fence = line }
        return fence == nil
      }
    }
    func shape(_ lines: [Substring]) -> [Int] {
      lines.map { line in
        var pipes = 0
        var previous: Character = " "
        for character in line {
          if character == "|", previous != "\\" { pipes += 1 }
          previous = character
        }
        return line.hasPrefix("|") ? pipes : 0
      }
    }
    let plain = shape(outside(CheckDocument(result("plain")).markdown)).filter { $0 > 0 }
    for name in Self.names {
      let lines = outside(CheckDocument(result(name)).markdown)
      #expect(shape(lines).filter { $0 > 0 } == plain, "\(name.debugDescription)")
      // HTML in code is shown verbatim.
      guard !name.contains("`") else { continue }
      #expect(!lines.contains { $0.replacing(/`+[^`]*`+/, with: "").contains("<") })
    }
  }

  @Test func theLogHasNoControlCharacters() {
    for name in Self.names {
      let text = CheckDocument(result(name)).plain()
      #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" })
    }
  }
}
