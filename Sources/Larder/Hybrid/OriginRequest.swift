#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A request of a cache to its origin.
public struct OriginRequest<Key: Sendable>: Sendable {
  /// The key.
  public let key: Key
  /// The version (ETag) of the cached value, if any. An origin that still has this version may
  /// answer `.notModified`.
  public let version: String?
  /// When the cached value was stored or last confirmed, by the cache's clock; nil if there is
  /// none.
  public let created: Date?
  /// Whether this is a background refresh of a value that was already returned.
  public let isBackground: Bool

  /// A request, as for a test of a loader.
  public init(
    key: Key, version: String? = nil, created: Date? = nil, isBackground: Bool = false
  ) {
    self.key = key
    self.version = version
    self.created = created
    self.isBackground = isBackground
  }
}
