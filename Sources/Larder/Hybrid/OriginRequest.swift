/// What a cache asks of the origin.
public struct OriginRequest<Key: Sendable>: Sendable {
  /// The key.
  public let key: Key
  /// The version (ETag) of the value that the cache has, if any. An origin that still has this one
  /// may answer `.notModified`.
  public let version: String?
  /// When the value that the cache has was stored or last found to still hold, microseconds of the
  /// cache's clock; nil where it has none.
  public let createdMicroseconds: UInt64?
  /// Whether somebody already has an answer and this is a refresh behind it.
  public let isBackground: Bool
}
