import CXXHash
import Foundation
import LarderEngine
import LarderSupport

/// Format of all files in a store: a line with the kind, one line of JSON, and the XXH3-128 of both
/// lines, by which truncated and modified files are found.
///
///     larder cell 2
///     {"cell":"...","counts":{...},...}
///     xxh128 3f2a...
package enum SealedFile {
  static let version = 2

  /// Kinds of files.
  package static let kinds = [StoredCell.kind, StoredTimings.kind, TraceMemory.kind]

  package static func bytes(kind: String, json: Data) -> Data {
    var data = Data("larder \(kind) \(version)\n".utf8)
    data += json
    data += Data("\n".utf8)
    return data + Data("xxh128 \(ContentDigest(of: data))\n".utf8)
  }

  static func json(in data: Data, kind: String) throws(SealFault) -> Data {
    guard !data.isEmpty else { throw SealFault("it is empty") }
    let lines = data.split(separator: 0x0A, omittingEmptySubsequences: false)
    guard let first = lines.first, first.count < 80,
      case let words = String(decoding: first, as: UTF8.self).split(separator: " "),
      words.count == 3, words[0] == "larder"
    else { throw SealFault("it is not a file of a store") }
    guard words[1] == kind else { throw SealFault("it is of the kind '\(words[1])'") }
    guard words[2] == "\(version)" else {
      throw SealFault("version \(words[2]), but this larder reads \(version)")
    }
    // Two lines, the seal, and nothing after its line feed.
    guard lines.count == 4, lines[3].isEmpty else { throw SealFault("it is truncated") }
    let sealed = data[data.startIndex..<lines[2].startIndex]
    guard lines[2].elementsEqual("xxh128 \(ContentDigest(of: sealed))".utf8) else {
      throw SealFault("its checksum is wrong")
    }
    return Data(lines[1])
  }

  static func content<Content: SealedContent>(
    _ type: Content.Type, in file: String
  ) throws(SealFault) -> Content {
    let data: Data?
    do throws(StoreError) {
      data = try ResultStore.contents(file)
    } catch {
      throw SealFault("it cannot be read: \(error.reason)")
    }
    guard let data else { throw SealFault("it cannot be read: it no longer exists") }
    return try content(type, of: data)
  }

  /// Decodes the content of a file, which must not contradict itself.
  static func content<Content: SealedContent>(
    _ type: Content.Type, of data: Data
  ) throws(SealFault) -> Content {
    let json = try json(in: data, kind: Content.kind)
    let content: Content
    do throws(JSONFault) {
      content = try JSONFile.decode(type, from: json)
    } catch {
      throw SealFault(error.reason)
    }
    if let fault = content.fault { throw SealFault(fault) }
    return content
  }

  /// Decodes a file of one of `kinds`, and encodes it again: identical for equal files.
  package static func resealed(_ data: Data, kind: String) throws -> Data {
    func again<Content: SealedContent>(_ type: Content.Type) throws -> Data {
      try ResultStore.bytes(try content(type, of: data), "")
    }
    switch kind {
    case StoredCell.kind: return try again(StoredCell.self)
    case StoredTimings.kind: return try again(StoredTimings.self)
    default: return try again(TraceMemory.self)
    }
  }
}

/// Content of the files of one kind.
protocol SealedContent: Codable, Hashable, Sendable {
  static var kind: String { get }
  /// First contradiction, or nil.
  var fault: String? { get }
}

/// A fault of a file in a store.
package struct SealFault: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = TextSafety.singleLine(description) }
}

/// XXH3-128 of some content as 32 hexadecimal digits in lower case, as `xxhsum -H128` prints it:
/// the name of content in a store. Results are reused without further comparison: among 2^40
/// contents two have the same digest with a chance below 2^-48. It does not resist intended
/// collisions, but anyone who can write to a store can also write wrong counts.
package struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(of bytes: Data) { description = bytes.withUnsafeBytes { Self.digits($0) } }

  package init(of text: String) { self.init(of: Data(text.utf8)) }

  package init(ofColumn bytes: UnsafeRawBufferPointer) {
    let parts = (bytes.count + Self.partLength - 1) / Self.partLength
    let column = SharedBytes(bytes: bytes)
    let digests = parallelMap(count: parts, threads: parts) { part in
      let start = part * Self.partLength
      let end = min(start + Self.partLength, column.bytes.count)
      return Self.digits(UnsafeRawBufferPointer(rebasing: column.bytes[start..<end]))
    }
    let all = digests.compactMap { $0 }.joined()
    self.init(of: "column of \(bytes.count) bytes in parts of \(Self.partLength)\n\(all)")
  }

  package var short: String { String(description.prefix(16)) }

  /// Bytes per part. Digests depend on it, so it never changes.
  private static let partLength = 4 << 20

  private static func digits(_ bytes: UnsafeRawBufferPointer) -> String {
    let hash = XXH3_128bits(bytes.baseAddress, bytes.count)
    return [hash.high64, hash.low64].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  private struct SharedBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
  }
}
