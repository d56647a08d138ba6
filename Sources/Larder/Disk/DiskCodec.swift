#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How values of a type become bytes and back.
public struct DiskCodec<Value>: Sendable {
  /// What the bytes are, kept with every entry that does not say something else.
  public let contentType: String?
  let encode: @Sendable (Value) throws -> Data
  let decode: @Sendable (Data) throws -> Value

  /// A codec of closures. They are called on the thread that calls the cache, outside its lock,
  /// and from several threads at a time.
  public init(
    contentType: String? = nil, encode: @escaping @Sendable (Value) throws -> Data,
    decode: @escaping @Sendable (Data) throws -> Value
  ) {
    self.contentType = contentType
    self.encode = encode
    self.decode = decode
  }
}

extension DiskCodec where Value: Codable & SendableMetatype {
  /// JSON. Times are seconds since 2001, and data is base64, as `JSONEncoder` has them by itself.
  /// Arrays and objects may be nested 128 levels deep: deeper values cannot be encoded, and deeper
  /// bytes are not decoded.
  public static var json: DiskCodec {
    DiskCodec(
      contentType: "application/json", encode: { try BoundedJSON.encode($0) },
      decode: { try BoundedJSON.decode(Value.self, from: $0) })
  }

  /// A binary property list: smaller than JSON where there are numbers, times and data. The value
  /// must be an array, a dictionary or a structure, not a number or a text alone.
  public static var propertyList: DiskCodec {
    DiskCodec(
      contentType: "application/x-plist",
      encode: {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode($0)
      }, decode: { try PropertyListDecoder().decode(Value.self, from: $0) })
  }
}

extension DiskCodec<Data> {
  /// The bytes as they are.
  public static var data: DiskCodec {
    DiskCodec(encode: { $0 }, decode: { $0 })
  }
}

extension DiskCodec<String> {
  /// UTF-8.
  public static var text: DiskCodec {
    DiskCodec(
      contentType: "text/plain; charset=utf-8", encode: { Data($0.utf8) },
      decode: { String(decoding: $0, as: UTF8.self) })
  }
}
