import Foundation
import LarderEngine

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// The SHA-256 of some content as 64 hexadecimal digits in lower case: what names content in a
/// store. Two contents with one digest are not known, and results are reused on its word alone, so
/// no shorter and no faster hash would do.
package struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
  /// The digits.
  package let description: String

  /// The digest of bytes. O(bytes).
  package init(of bytes: some DataProtocol) {
    description = Self.digits(SHA256.hash(data: bytes))
  }

  /// The digest of a text in UTF-8.
  package init(of text: String) { self.init(of: Data(text.utf8)) }

  /// The digest of a column, which may be many gigabytes: that of the digests of its parts, which
  /// are computed on all cores. Not the digest that `init(of:)` gives.
  package init(ofColumn bytes: UnsafeRawBufferPointer) {
    let parts = (bytes.count + Self.partLength - 1) / Self.partLength
    let digests = Locked([String](repeating: "", count: parts))
    let column = SharedBytes(bytes: bytes)
    DispatchQueue.concurrentPerform(iterations: parts) { part in
      let start = part * Self.partLength
      let end = min(start + Self.partLength, column.bytes.count)
      let digest = SHA256.hash(
        data: UnsafeRawBufferPointer(rebasing: column.bytes[start..<end]))
      digests.withLock { $0[part] = Self.digits(digest) }
    }
    let all = digests.withLock { $0.joined() }
    self.init(of: "column of \(bytes.count) bytes in parts of \(Self.partLength)\n\(all)")
  }

  /// The first 16 digits: enough to tell a handful of files apart.
  package var short: String { String(description.prefix(16)) }

  /// Bytes of a part. Part of what a digest is, so it never changes.
  private static let partLength = 4 << 20

  private static func digits(_ digest: SHA256.Digest) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Bytes that nobody changes while threads read them.
  private struct SharedBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
  }
}
