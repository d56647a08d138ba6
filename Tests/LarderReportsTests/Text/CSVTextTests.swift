import Testing

@testable import LarderReports

struct CSVTextTests {
  @Test(arguments: [
    ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("say \"hi\"", "\"say \"\"hi\"\"\""),
    ("two\nlines", "\"two\nlines\""), ("a\r\nb", "\"a\r\nb\""), ("=1+1", "'=1+1"), ("+1", "'+1"),
    ("-x", "'-x"), ("@x", "'@x"), ("\tx", "'\tx"), ("\rx", "\"'\rx\""), ("=a,b", "\"'=a,b\""),
    ("\r\nx", "\"'\r\nx\""), ("1-1", "1-1"), ("'a", "'a"), (" =1", " =1"),
  ])
  func field(_ text: String, _ expected: String) {
    #expect(CSVText.field(text) == expected)
  }

  @Test func everythingReadsBackButTheGuard() throws {
    let texts = HostileText.examples + HostileText.random(count: 3000, seed: 1)
    let records = stride(from: 0, to: texts.count - 2, by: 3).map { Array(texts[$0..<$0 + 3]) }
    let text = records.map { CSVText.line($0.map { CSVText.field($0) }) }.joined()
    let read = try #require(CSVReader.records(text))
    #expect(read.count == records.count)
    for (written, read) in zip(records, read) {
      let guarded = written.map { text in
        text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } == true
          ? "'" + text : text
      }
      // Compared by scalar: Swift takes equal-looking texts for equal.
      #expect(read.map { Array($0.unicodeScalars) } == guarded.map { Array($0.unicodeScalars) })
    }
  }
}
