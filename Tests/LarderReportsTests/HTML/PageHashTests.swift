import Crypto
import Foundation
import Testing

@testable import LarderReports

/// The hashes by which pages allow their own style and script.
struct PageHash {
  /// A text's hash as a content security policy names it.
  static func of(_ text: String) -> String {
    "sha256-" + Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString()
  }
}

/// The hashes are constants, so that reports need no cryptography. Whoever changes the style or the
/// script finds the new ones here.
struct PageHashTests {
  @Test func styleAndScriptAreAllowed() {
    #expect(PageStyle.hash == PageHash.of(PageStyle.text))
    #expect(PageScript.hash == PageHash.of(PageScript.text))
  }
}
