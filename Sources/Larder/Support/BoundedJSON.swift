#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// JSON from outside, decoded only when its nesting is bounded.
///
/// Foundation's parser ends the process at 513 levels instead of throwing, and a type that contains
/// itself recurses once more for each level, on stacks of which some have 512 KiB. Everything in
/// this package that decodes JSON does it here.
package enum BoundedJSON {
  /// The most levels of arrays and objects that are decoded. Deeper text is refused.
  package static let depthMax = 128

  /// Decodes JSON in UTF-8. O(bytes).
  ///
  /// - Throws: `BoundedJSONError` before anything is parsed; what `JSONDecoder` throws.
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data
  ) throws -> Value {
    try check(data)
    return try JSONDecoder().decode(type, from: data)
  }

  /// Encodes a value as JSON that `decode` accepts. O(bytes).
  ///
  /// - Throws: `BoundedJSONError` when the value is nested too deeply; what `JSONEncoder` throws.
  package static func encode(_ value: some Encodable) throws -> Data {
    let data = try JSONEncoder().encode(value)
    try check(data)
    return data
  }

  /// Checks encoding and nesting without parsing. O(bytes).
  ///
  /// - Throws: `BoundedJSONError`.
  package static func check(_ data: Data) throws(BoundedJSONError) {
    let tooDeep = data.withUnsafeBytes { bytes -> Result<Int?, BoundedJSONError> in
      isUTF8(bytes) ? .success(firstTooDeep(bytes)) : .failure(.otherEncoding)
    }
    if let byte = try tooDeep.get() { throw .tooDeep(byte: byte) }
  }

  /// Whether the parser takes the bytes for UTF-8. It recognises UTF-16 and UTF-32 by a mark or by
  /// zeroes among the first four bytes; the scan below cannot follow those.
  private static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let head = bytes.prefix(4)
    return !head.contains(0) && !head.starts(with: [0xFE, 0xFF])
      && !head.starts(with: [0xFF, 0xFE])
  }

  /// The offset of the bracket that opens one level too many; nil when there is none.
  ///
  /// Up to the first byte that is not JSON this counts what a parser counts; what a parser makes of
  /// later bytes does not matter, as it never reaches them.
  private static func firstTooDeep(_ bytes: UnsafeRawBufferPointer) -> Int? {
    var depth = 0
    var isInString = false
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""): isInString.toggle()
      // Only in a string; what it escapes is neither a quote nor a bracket.
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

/// Why JSON is not decoded at all.
package enum BoundedJSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bracket at this offset opens one level too many.
  case tooDeep(byte: Int)
  /// The text is UTF-16 or UTF-32.
  case otherEncoding

  /// The end of a sentence that begins with the name of the text.
  package var description: String {
    switch self {
    case .tooDeep(let byte):
      "nested more than \(BoundedJSON.depthMax) levels deep at byte \(byte)"
    case .otherEncoding:
      "not UTF-8, the encoding of JSON"
    }
  }
}
