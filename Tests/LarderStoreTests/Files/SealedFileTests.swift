import Foundation
import Testing

@testable import LarderExperiments

struct SealedFileTests {
  private static let json = Data(#"{"a":1}"#.utf8)

  @Test func sealedContentIsReadBack() throws {
    let bytes = SealedFile.bytes(kind: "cell", json: Self.json)
    #expect(try SealedFile.json(in: bytes, kind: "cell") == Self.json)
    #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("larder cell 1\n{\"a\":1}\nsha256 "))
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

  @Test func digestsAreSHA256() {
    // From FIPS 180-4.
    #expect(
      ContentDigest(of: "abc").description
        == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
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
    for other in ["", "a.b.c", name.text + ".x", name.text.uppercased(), "." + name.text] {
      #expect(EntryName(parsing: other) == nil, "\(other)")
    }
  }
}
