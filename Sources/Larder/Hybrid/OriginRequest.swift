/// A request of a cache to its origin.
public struct OriginRequest<Key: Sendable>: Sendable {
  /// The key.
  public let key: Key
  /// The version (ETag) of the cached value, if any. An origin that still has this version may
  /// answer `.notModified`.
  public let version: String?
  /// When the cached value was stored or last confirmed, in microseconds of the cache's clock; nil
  /// if there is none.
  public let createdMicroseconds: UInt64?
  /// Whether this is a background refresh of a value that was already returned.
  public let isBackground: Bool
}
