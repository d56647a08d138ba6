import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct DiskRow {
  var suite: UInt32
  var isPermanent: Bool
  var bytes: UInt32
  var inserted: UInt64
  var stored: UInt64
  var created: UInt64
  var expiry: Expiry
  var cost: Float
  var checksum: UInt64
  var file: UInt64
  var mustRevalidate = false

  var flags: UInt8 { (isPermanent ? 1 : 0) | (mustRevalidate ? 2 : 0) }

  static var sequenceMax: UInt64 { 1 << 48 - 1 }

  /// Checksum of a row: covers everything except its value, which has its own checksum. `key` is
  /// the key as it is stored.
  func mark(
    of id: Int64, key: UnsafeRawBufferPointer, version: UnsafeRawBufferPointer?,
    type: UnsafeRawBufferPointer?, seed: UInt64
  ) -> UInt64 {
    let words = (
      UInt64(bitPattern: id).littleEndian, (UInt64(suite) | UInt64(flags) << 32).littleEndian,
      UInt64(bytes).littleEndian,
      inserted.littleEndian, stored.littleEndian, created.littleEndian,
      expiry.microseconds.littleEndian,
      UInt64(cost.bitPattern).littleEndian, checksum.littleEndian, file.littleEndian,
      UInt64((version == nil ? 0 : 1) | (type == nil ? 0 : 2)).littleEndian
    )
    var hash = withUnsafeBytes(of: words) { ByteHash.hash($0, seed: seed) }
    hash = ByteHash.hash(key, seed: hash)
    if let version { hash = ByteHash.hash(version, seed: hash) }
    if let type { hash = ByteHash.hash(type, seed: hash) }
    return hash
  }

  func mark(
    of id: ObjectID, key: UnsafeRawBufferPointer, version: String?, type: String?, seed: UInt64
  ) -> UInt64 {
    withBytes(version) { version in
      withBytes(type) { mark(of: Int64(id), key: key, version: version, type: $0, seed: seed) }
    }
  }

  private func withBytes(
    _ text: String?, _ body: (UnsafeRawBufferPointer?) -> UInt64
  ) -> UInt64 {
    guard var text else { return body(nil) }
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}

/// Fields of an entry, other than its value, that an encrypted cache seals.
///
/// Each text is its length in eight bytes, little-endian, and its bytes; nil has the length -1.
struct DiskHeader {
  var key: [UInt8]
  var version: String?
  var contentType: String?

  init(key: UnsafeRawBufferPointer, version: String?, contentType: String?) {
    self.key = Array(key)
    self.version = version
    self.contentType = contentType
  }

  init?(decoding data: Data) {
    var texts: [[UInt8]?] = []
    var rest = data[...]
    for _ in 0..<3 {
      guard rest.count >= 8 else { return nil }
      let count = rest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      rest = rest.dropFirst(8)
      if count == .max {
        texts.append(nil)
        continue
      }
      guard count <= UInt64(rest.count) else { return nil }
      texts.append(Array(rest.prefix(Int(count))))
      rest = rest.dropFirst(Int(count))
    }
    guard rest.isEmpty, let key = texts[0] else { return nil }
    self.key = key
    version = texts[1].map { String(decoding: $0, as: UTF8.self) }
    contentType = texts[2].map { String(decoding: $0, as: UTF8.self) }
  }

  func encoded() -> Data {
    let texts = [key, version.map { Array($0.utf8) }, contentType.map { Array($0.utf8) }]
    var data = Data(capacity: 24 + key.count)
    for text in texts {
      let count = text.map { UInt64($0.count) } ?? .max
      withUnsafeBytes(of: count.littleEndian) { data.append(contentsOf: $0) }
      if let text { data.append(contentsOf: text) }
    }
    return data
  }
}
