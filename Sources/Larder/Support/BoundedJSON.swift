#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Decoder for untrusted JSON, which bounds its nesting: Foundation's parser ends the process at
/// 513 levels. All JSON in this package is decoded here.
package enum BoundedJSON {
  package static let depthMax = 128

  package static func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data
  ) throws -> Value {
    try check(data)
    return try JSONDecoder().decode(type, from: data)
  }

  package static func encode(_ value: some Encodable) throws -> Data {
    let data = try JSONEncoder().encode(value)
    try check(data)
    return data
  }

  package static func check(_ data: Data) throws(BoundedJSONError) {
    let tooDeep = data.withUnsafeBytes { bytes -> Result<Int?, BoundedJSONError> in
      isUTF8(bytes) ? .success(firstTooDeep(bytes)) : .failure(.otherEncoding)
    }
    if let byte = try tooDeep.get() { throw .tooDeep(byte: byte) }
  }

  /// True if the parser takes the bytes for UTF-8. It recognises UTF-16 and UTF-32 by a byte order
  /// mark or by zeros among the first four bytes; the scan below cannot follow those.
  private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let head = bytes.prefix(4)
    return !head.contains(0) && !head.starts(with: [0xFE, 0xFF])
      && !head.starts(with: [0xFF, 0xFE])
  }

  /// Returns the offset of the first bracket that exceeds the limit; nil if there is none.
  ///
  /// Up to the first byte that is not JSON this counts what a parser counts; later bytes do not
  /// matter, because the parser never reaches them.
  private static func firstTooDeep(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var depth = 0
    var isInString = false
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""): isInString.toggle()
      // Backslashes occur only in strings; the escaped character is neither a quote nor a bracket.
      case UInt8(ascii: "\\"): index += 1
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        if isInString { break }
        depth += 1
        if depth > depthMax { return index }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if !isInString { depth -= 1 }
      default: break
      }
      index += 1
    }
    return nil
  }
}

package enum BoundedJSONError: Error, Hashable, Sendable, CustomStringConvertible {
  case tooDeep(byte: Int)
  /// The text is UTF-16 or UTF-32.
  case otherEncoding

  package var description: String {
    switch self {
    case .tooDeep(let byte):
      "nested more than \(BoundedJSON.depthMax) levels deep at byte \(byte)"
    case .otherEncoding:
      "not UTF-8, the encoding of JSON"
    }
  }
}
