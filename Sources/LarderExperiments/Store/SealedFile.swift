import CXXHash
import Foundation
import LarderEngine
import LarderSupport

/// The form of every file in a store: a line that says what it is, one line of JSON, and the
/// XXH3-128 of both lines.
///
///     larder cell 2
///     {"cell":"...","counts":{...},...}
///     xxh128 3f2a...
///
/// A file that is cut off, altered, or somebody else's is told from one that is whole.
package enum SealedFile {
  /// The version of the form and of what the JSON holds. Version 1 had the SHA-256 of both lines.
  static let version = 2

  /// The bytes of a file.
  package static func bytes(kind: String, json: Data) -> Data {
    var data = Data("larder \(kind) \(version)\n".utf8)
    data += json
    data += Data("\n".utf8)
    return data + Data("xxh128 \(ContentDigest(of: data))\n".utf8)
  }

  /// The JSON in the bytes of a file.
  ///
  /// - Throws: `SealFault` with what is wrong.
  static func json(in data: Data, kind: String) throws(SealFault) -> Data {
    guard !data.isEmpty else { throw .empty }
    let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard let first = lines.first, first.count < 80,
      case let words = String(decoding: first, as: UTF8.self).split(separator: " "),
      words.count == 3, words[0] == "larder"
    else { throw .foreign }
    guard words[1] == kind else { throw .kind(String(words[1])) }
    guard words[2] == "\(version)" else { throw .version(String(words[2])) }
    // Two lines, the seal, and nothing behind its line feed.
    guard lines.count == 4, lines[3].isEmpty else { throw .cut }
    let sealed = data[data.startIndex..<lines[2].startIndex]
    guard lines[2].elementsEqual("xxh128 \(ContentDigest(of: sealed))".utf8) else {
      throw .checksum
    }
    return Data(lines[1])
  }

  /// What the JSON of a file says.
  static func value<Value: Decodable>(
    _ type: Value.Type, kind: String, in file: String
  ) throws(SealFault) -> Value {
    let data: Data?
    do throws(StoreError) {
      data = try StoreFolder.contents(file)
    } catch {
      throw .unreadable(error.reason)
    }
    guard let data else { throw .unreadable("it is not there any more") }
    return try value(type, kind: kind, of: data)
  }

  /// What the JSON in the bytes of a file says.
  static func value<Value: Decodable>(
    _ type: Value.Type, kind: String, of data: Data
  ) throws(SealFault) -> Value {
    let json = try json(in: data, kind: kind)
    do throws(JSONFault) {
      return try JSONFile.decode(type, from: json)
    } catch {
      throw .content(error.reason)
    }
  }
}

/// What is wrong with a file of a store.
package enum SealFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// It has no bytes.
  case empty
  /// It does not begin as a file of a store does.
  case foreign
  /// It is of another kind.
  case kind(String)
  /// It is of another version.
  case version(String)
  /// It ends too early, or goes on behind its end.
  case cut
  /// Its bytes are not those that were written.
  case checksum
  /// What it says cannot be.
  case content(String)
  /// It cannot be read.
  case unreadable(String)

  /// One line for a person.
  package var description: String {
    switch self {
    case .empty: "it is empty"
    case .foreign: "it is not a file of a store"
    case .kind(let kind): "it is of the kind '\(TextSafety.singleLine(kind))'"
    case .version(let version):
      "version \(TextSafety.singleLine(version)), but this larder reads \(SealedFile.version)"
    case .cut: "it is cut off"
    case .checksum: "its checksum is wrong"
    case .content(let fault): TextSafety.singleLine(fault)
    case .unreadable(let reason): "it cannot be read: \(reason)"
    }
  }
}

/// The XXH3-128 of some content as 32 hexadecimal digits in lower case, as `xxhsum -H128` prints it:
/// what names content in a store. Results are reused on its word alone. In a store of 2^40 contents,
/// two have one digest with a chance below 2^-48. Content that somebody made to collide is possible:
/// whoever can write into a store can put wrong counts into it anyway.
package struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
  /// The digits.
  package let description: String

  /// The digest of bytes. O(bytes).
  package init(of bytes: Data) {
    description = bytes.withUnsafeBytes { Self.digits($0) }
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
      let digest = Self.digits(UnsafeRawBufferPointer(rebasing: column.bytes[start..<end]))
      digests.withLock { $0[part] = digest }
    }
    let all = digests.withLock { $0.joined() }
    self.init(of: "column of \(bytes.count) bytes in parts of \(Self.partLength)\n\(all)")
  }

  /// The first 16 digits: enough to tell a handful of files apart.
  package var short: String { String(description.prefix(16)) }

  /// Bytes of a part. Part of what a digest is, so it never changes.
  private static let partLength = 4 << 20

  private static func digits(_ bytes: UnsafeRawBufferPointer) -> String {
    let hash = XXH3_128bits(bytes.baseAddress, bytes.count)
    return [hash.high64, hash.low64].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Bytes that nobody changes while threads read them.
  private struct SharedBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
  }
}
