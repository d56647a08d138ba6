import Foundation
import Testing

@testable import Larder

/// Foundation's parser ends the process at 513 levels: each of these would end the tests.
@Suite struct BoundedJSONTests {
  /// A value nested as deeply as its number.
  private indirect enum Nested: Codable, Equatable {
    case leaf
    case list(Nested)

    init(depth: Int) { self = (1..<depth).reduce(.leaf) { inner, _ in .list(inner) } }

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      self = list.isAtEnd ? .leaf : .list(try list.decode(Nested.self))
    }

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      if case .list(let inner) = self { try list.encode(inner) }
    }
  }

  private func error(_ text: some DataProtocol) -> BoundedJSONError? {
    #expect(throws: (any Error).self) { _ = try DiskCodec<[Int]>.json.decode(Data(text)) }
    do {
      try BoundedJSON.check(Data(text))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: ["[", "{\"a\":", "[{\"\\\"]\":"])
  func deepTextIsAnError(_ part: String) {
    let levels = part.count { "[{".contains($0) }
    for count in [129, 513, 100_000] {
      let text = String(repeating: part, count: count / levels + 1)
      // Level 129 opens in the part after the first 128.
      let whole = 128 / levels * part.utf8.count
      #expect(error(Data(text.utf8)) == .tooDeep(byte: whole))
    }
    #expect(error(Data(String(repeating: part, count: 128 / levels).utf8)) == nil)
  }

  @Test func bracketsInTextsDoNotCount() throws {
    let texts = [String(repeating: "[", count: 1000), "\"\\[[", "a\u{5B}\u{7B}", "é[\u{301}\"["]
    #expect(try DiskCodec<[String]>.json.decode(JSONEncoder().encode(texts)) == texts)
    let flat = Data("[\(String(repeating: "[],", count: 1000))[]]".utf8)
    #expect(try DiskCodec<[[Int]]>.json.decode(flat).count == 1001)
  }

  /// The parser takes zeros among the first bytes, or a byte order mark, for UTF-16 and UTF-32.
  /// There a bracket can look like part of a string.
  @Test func otherEncodingsAreRejected() throws {
    let text = String(repeating: "[", count: 513)
    let encodings: [String.Encoding] = [
      .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
    ]
    for encoding in encodings {
      #expect(error(try #require(text.data(using: encoding))) == .otherEncoding, "\(encoding)")
    }
  }

  @Test func encodedValuesAreDecoded() throws {
    let codec = DiskCodec<Nested>.json
    let deepest = Nested(depth: BoundedJSON.depthMax)
    #expect(try codec.decode(codec.encode(deepest)) == deepest)
    #expect(throws: BoundedJSONError.tooDeep(byte: BoundedJSON.depthMax)) {
      _ = try codec.encode(Nested(depth: BoundedJSON.depthMax + 1))
    }
  }
}
