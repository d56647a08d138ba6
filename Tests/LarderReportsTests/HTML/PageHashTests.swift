import Crypto
import Foundation
import Testing

@testable import LarderReports

/// The hashes by which pages allow their own style and script.
struct PageHash {
  static func of(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
  }
}

/// The hashes are constants, so that reports need no cryptography. After a change of style or
/// script, this test prints the new ones.
struct PageHashTests {
  @Test func styleAndScriptAreAllowed() {
    #expect(PageStyle.hash == PageHash.of(PageStyle.text))
    #expect(PageScript.hash == PageHash.of(PageScript.text))
  }
}
