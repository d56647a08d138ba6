#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What an encrypted cache seals of an entry beside its value.
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

  /// A header from the bytes of `encoded`, or nil when they are none.
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
