#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Conversion between the values of a type and bytes.
///
/// A cache records the `identity` of the codec with each suite. A suite with values of one codec is
/// not used with another: `DiskConfiguration.troubleHandling` determines whether it starts empty or
/// the call throws.
public struct DiskCodec<Value>: Sendable {
  /// Names the format of the bytes, such as `json`. Codecs that cannot read each other's bytes must
  /// have different identities.
  public let identity: String
  /// Content type of the bytes. `BlockingDiskCache.set` stores it with entries that have none of
  /// their own.
  public let contentType: String?
  package let encode: @Sendable (Value) throws -> Data
  package let decode: @Sendable (Data) throws -> Value

  /// Creates a codec from closures. They are called on the thread that calls the cache or on one of
  /// the cache's threads, possibly by several threads at a time.
  ///
  /// - Parameters:
  ///   - identity: Name of the format; nil for the content type, or `custom` without one. Change it
  ///     when the format changes.
  ///   - contentType: Content type of the values, such as `image/png`.
  ///   - encode: Converts a value to bytes.
  ///   - decode: Converts bytes to a value.
  public init(
    identity: String? = nil, contentType: String? = nil,
    encode: @escaping @Sendable (Value) throws -> Data,
    decode: @escaping @Sendable (Data) throws -> Value
  ) {
    self.identity = identity ?? contentType ?? "custom"
    self.contentType = contentType
    self.encode = encode
    self.decode = decode
  }
}

extension DiskCodec where Value: Codable & SendableMetatype {
  /// JSON. Times are seconds since 2001, and data is base64, the defaults of `JSONEncoder`. Arrays
  /// and objects may be nested 128 levels deep: deeper values are neither encoded nor decoded.
  ///
  /// The identity contains the type's name with its module: a type that is renamed or moved is
  /// another one. See `json(schema:)`.
  public static var json: DiskCodec { json(schema: typeName) }

  /// JSON in the format of `json`, with a schema name instead of the type's name: keep it when the
  /// type is renamed, and change it to discard old values.
  public static func json(schema: String) -> DiskCodec {
    DiskCodec(
      identity: "json \(schema)", contentType: "application/json",
      encode: { try BoundedJSON.encode($0) },
      decode: { try BoundedJSON.decode(Value.self, from: $0) })
  }

  /// A binary property list: smaller than JSON for numbers, times and data. The value must be an
  /// array, a dictionary or a structure, not a bare number or string.
  ///
  /// The identity contains the type's name with its module, like that of `json`.
  public static var propertyList: DiskCodec { propertyList(schema: typeName) }

  /// A property list in the format of `propertyList`, with a schema name instead of the type's
  /// name.
  public static func propertyList(schema: String) -> DiskCodec {
    DiskCodec(
      identity: "property-list \(schema)", contentType: "application/x-plist",
      encode: {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode($0)
      }, decode: { try PropertyListDecoder().decode(Value.self, from: $0) })
  }

  /// The default codec, chosen by the type of the values: `data` for `Data`, `text` for `String`,
  /// and `json` for everything else.
  public static var standard: DiskCodec { standard(schema: typeName) }

  /// The codec `standard`, with a schema name instead of the type's name if it is JSON.
  public static func standard(schema: String) -> DiskCodec {
    if let codec = DiskCodec<Data>.data as? DiskCodec { return codec }
    if let codec = DiskCodec<String>.text as? DiskCodec { return codec }
    return json(schema: schema)
  }

  private static var typeName: String {
    var name = String(reflecting: Value.self)
    while let start = name.firstRange(of: "(unknown context at "),
      let end = name[start.upperBound...].firstRange(of: ").")
    {
      name.removeSubrange(start.lowerBound..<end.upperBound)
    }
    return name
  }
}

extension DiskCodec<Data> {
  /// The bytes unchanged.
  public static var data: DiskCodec { DiskCodec(identity: "data", encode: { $0 }, decode: { $0 }) }
}

extension DiskCodec<String> {
  /// UTF-8. Bytes that are not UTF-8 are not decoded.
  public static var text: DiskCodec {
    DiskCodec(
      identity: "text", contentType: "text/plain; charset=utf-8", encode: { Data($0.utf8) },
      decode: { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw DiskCacheError.codec(message: "\(bytes.count) bytes are not valid UTF-8")
        }
        return text
      })
  }
}
