import Foundation
import Testing

@testable import LarderExperiments

struct SealedFileTests {
  private static let json = Data(#"{"a":1}"#.utf8)

  @Test func sealedContentIsReadBack() throws {
    let bytes = SealedFile.bytes(kind: "cell", json: Self.json)
    #expect(try SealedFile.json(in: bytes, kind: "cell") == Self.json)
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("larder cell 2\n{\"a\":1}\nxxh128 "))
  }

  @Test func everyPrefixIsRejected() {
    let bytes = SealedFile.bytes(kind: "cell", json: Self.json)
    for length in 0..<bytes.count {
      #expect(throws: SealFault.self) {
        try SealedFile.json(in: bytes.prefix(length), kind: "cell")
      }
    }
  }

  @Test func flippedBitIsDetected() {
    let bytes = SealedFile.bytes(kind: "cell", json: Self.json)
    for place in 0..<bytes.count * 8 {
      var damaged = bytes
      damaged[place / 8] ^= 1 << (place % 8)
      #expect(throws: SealFault.self) { try SealedFile.json(in: damaged, kind: "cell") }
    }
  }

  @Test func digestIsXXH3() {
    // As `xxhsum -H128` of xxHash prints them.
    #expect(ContentDigest(of: "abc").description == "06b05ab6733a618578af5f94892f3950")
    #expect(ContentDigest(of: "").description == "99aa06d3014798d86001c324468d497f")
    // Of more than 240 bytes, which are hashed in another way.
    #expect(
      ContentDigest(of: String(repeating: "abc", count: 1000)).description
        == "14b47fe9925960701fa2f942314cd628")
  }

  /// Half of the digits may be those of a small number.
  @Test func digestHasAllItsDigits() {
    for number in 0..<1000 { #expect(ContentDigest(of: "\(number)").description.count == 32) }
  }

  /// A column is hashed in parts: moving a byte across a boundary must change the hash.
  @Test(arguments: [0, 1, 4 << 20, (4 << 20) + 1, 9 << 20])
  func columnsHaveDistinctDigests(_ count: Int) {
    var bytes = [UInt8](repeating: 7, count: count)
    func digest() -> ContentDigest { bytes.withUnsafeBytes { ContentDigest(ofColumn: $0) } }
    let first = digest()
    #expect(first == digest())
    bytes.append(7)
    #expect(digest() != first)
    bytes[count / 2] = 8
    let second = digest()
    bytes[count / 2] = 9
    #expect(digest() != second)
  }

  @Test func namesAreParsed() throws {
    let name = EntryName(
      key: ContentDigest(of: "a"), rules: StoreRules("1-0a"), content: ContentDigest(of: "b"))
    #expect(EntryName(parsing: name.text) == name)
    for other in ["", "a.b.c", name.text + ".x", name.text.uppercased(), "0" + name.text] {
      #expect(EntryName(parsing: other) == nil, "\(other)")
    }
  }
}
