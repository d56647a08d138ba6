import LarderSupport
import Testing

@testable import LarderReports

struct CSVTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
    ("two\nlines", "two lines"), ("a\r\nb", "a b"), ("=1+1", "'=1+1"), ("+1", "'+1"),
    ("-x", "'-x"), ("@x", "'@x"), ("\tx", "'\tx"), ("\rx", "' x"), ("=a,b", "\"'=a,b\""),
    ("\r\nx", "' x"), ("\u{1B}[31mx", "\u{FFFD}[31mx"), ("a\u{9B}b", "a\u{FFFD}b"),
    ("a\u{2028}b", "a b"), ("nul\0", "nul\u{FFFD}"), ("\u{202E}x", "\u{FFFD}x"),
    ("\"\u{301}", "\"\"\"\u{301}\""), ("1-1", "1-1"), ("'a", "'a"), (" =1", " =1"),
  ])
  func field(_ text: String, _ expected: String) { #expect(CSVText.field(text) == expected) }

  /// A field that is read back equals the sanitised text: one line without control characters.
  @Test func everythingReadsBackButTheGuard() throws {
    let texts = HostileText.examples + HostileText.random(count: 3000, seed: 1)
    let records = stride(from: 0, to: texts.count - 2, by: 3).map { Array(texts[$0..<$0 + 3]) }
    let text = records.map { CSVText.line($0.map { CSVText.field($0) }) }.joined()
    let read = try #require(CSVReader.records(text))
    #expect(read.count == records.count)
    for (written, read) in zip(records, read) {
      let guarded = written.map { text in
        text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } == true
          ? "'" + TextSafety.singleLine(text) : TextSafety.singleLine(text)
      }
      // Compared by scalar: Swift considers canonically equivalent texts equal.
      #expect(read.map { Array($0.unicodeScalars) } == guarded.map { Array($0.unicodeScalars) })
    }
  }
}
