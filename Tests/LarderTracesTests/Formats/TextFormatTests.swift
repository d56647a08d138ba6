import Foundation
import LarderEngine
import Testing

@testable import LarderTraces

/// Other text formats: their valid lines, and the errors for invalid ones.
@Suite
struct TextFormatTests {
  private func records(_ text: String, _ spec: String) throws -> [TraceRecord] {
    let folder = try TestFolder()
    let path = try folder.write(text, to: "file")
    return try allRecords(FileSource(path: path, format: ComponentSpec(parsing: spec)))
  }

  @Test(arguments: [
    ("1 2 0\n", "arc", ":1: expected 4 fields, found 3: '1 2 0'"),
    ("1 2 0 0\nx 2 0 0\n", "arc", ":2: expected the id as a whole number, found 'x'"),
    ("1 2 0 0 0\n", "arc", ":1: expected 4 fields, found 5"),
    ("1 -2 0 0\n", "arc", ":1: expected the blocks as a whole number, found '-2'"),
    ("1 2 0 x\n", "arc", ":1: expected the number as a whole number, found 'x'"),
    ("1 99999999999 0 0\n", "arc", ":1: invalid run of 99999999999 blocks from 1"),
    ("18446744073709551615 2 0 0\n", "arc", "blocks from 18446744073709551615"),
    ("5\nabc\n", "lirs", ":2: expected the id as a whole number, found 'abc'"),
    ("5 6\n", "lirs", ":1: expected 1 fields, found 2: '5 6'"),
    ("**\n", "lirs", ":1: expected the id as a whole number"),
    ("18446744073709551616\n", "lirs", ":1: expected the id as a whole number"),
    ("1 2 3\n1 2\n", "adapt-size", ":2: expected 3 fields or more, found 2: '1 2'"),
    ("1 x 3\n", "adapt-size", ":1: expected the id as a whole number, found 'x'"),
    ("1 2 -3\n", "adapt-size", ":1: the size '-3' is negative"),
    ("y 2 3\n", "adapt-size", ":1: expected a time as a number (unit s), found 'y'"),
  ])
  func errorsAreOneLine(_ text: String, _ spec: String, _ expected: String) {
    let problem = message { _ = try records(text, spec) }
    #expect(problem.contains(expected), "\(problem)")
    #expect(!problem.contains("\n"))
  }

  @Test func blanksAroundNumbersAreIgnored() throws {
    #expect(try records("  1\t2  0 0 \r\n\r\n", "arc").map(\.key) == [1, 2])
    #expect(try records(" 5 \r\n*\r\n6", "lirs").map(\.key) == [5, 6])
    #expect(try records(" 1.5  2\t3 \r\n", "adapt-size").map(\.time) == [1_500_000])
    #expect(try records(" a b \n\n", "txt").map(\.key) == [KeyHash.hash("a b")])
  }

  @Test(arguments: ["txt", "lirs", "arc", "adapt-size", "csv"])
  func byteOrderMarks(_ format: String) throws {
    let text = ["arc": "7 1 0 0\n", "adapt-size": "1 7 3\n"][format] ?? "7\n"
    #expect(try records("\u{FEFF}\(text)", format).map(\.key) == [7])
    let folder = try TestFolder()
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
      let data = try #require("\u{FEFF}\(text)".data(using: encoding))
      let path = try folder.write(Array(data), to: "utf16")
      for spec in [try ComponentSpec(parsing: format), nil] {
        let problem = message { _ = try allRecords(FileSource(path: path, format: spec)) }
        #expect(problem.contains("expected UTF-8 text, found UTF-16; convert it: iconv"))
      }
    }
  }

  @Test func adaptSizeTakesAUnit() throws {
    #expect(try records("1500 2 3\n", "adapt-size:time-unit=ms").map(\.time) == [1_500_000])
  }

  @Test func lineLengthIsBounded() throws {
    let text = String(repeating: "1", count: 3 << 20)
    let problem = message { _ = try records(text, "txt") }
    #expect(problem.contains(":1: the line is longer than 1048576 bytes"))
  }

  @Test func quotedTextIsShortWithoutControlCharacters() {
    let long = [UInt8](repeating: 0x78, count: 100)
    #expect(TextField.quote(long) == "'\(String(repeating: "x", count: 40))...'")
    #expect(TextField.quote([0x61, 0x00, 0x1B, 0x62]) == "'a??b'")
  }

  @Test func keysOfIDsAreNumbersOrHashes() {
    func key(_ text: String) -> UInt64 {
      let bytes = Array(text.utf8)
      return bytes.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map { KeyHash.key(TextField($0, $0 + bytes.count)) } ?? 0
      }
    }
    #expect(key("18446744073709551615") == .max)
    #expect(key("0") == 0)
    #expect(key("18446744073709551616") == KeyHash.hash("18446744073709551616"))
    #expect(key("007") == KeyHash.hash("007"))
    #expect(key("-1") == KeyHash.hash("-1"))
    #expect(key("7x") == KeyHash.hash("7x"))
  }

  /// Pinned, with values from a Python program of the hash function: keys are equal on every
  /// machine and in every version.
  @Test func hashesAreStable() {
    #expect(KeyHash.hash("") == 3_806_384_473_051_541_158)
    #expect(KeyHash.hash("a") == 5_232_787_201_495_420_294)
    #expect(KeyHash.hash("/news/1") == 17_792_274_940_552_832_046)
    #expect(KeyHash.hash("a longer text, of more than sixteen bytes") == 12_873_481_177_806_190_828)
  }

  @Test func hashesOfManyTextsDiffer() {
    var seen: Set<UInt64> = []
    for number in 0..<100_000 { seen.insert(KeyHash.hash("/item/\(number)")) }
    for length in 1..<300 { seen.insert(KeyHash.hash(String(repeating: "\0", count: length))) }
    #expect(seen.count == 100_299)
  }
}
