/// A value that a cache had, with what is known of it.
public struct CacheHit<Value: Sendable>: Sendable {
  /// How far a value from the cache can be trusted to be the origin's.
  public enum Freshness: UInt8, Sendable, Hashable {
    /// It has not expired.
    case fresh
    /// The origin has just said that it still holds.
    case revalidated
    /// It may have expired; the origin could not be asked.
    case stale
  }

  /// The value.
  public let value: Value
  /// Which tier had it.
  public let tier: HybridTier
  /// How far it can be trusted.
  public let freshness: Freshness
  /// When it was stored or last found to still hold, microseconds of the cache's clock.
  public let createdMicroseconds: UInt64
  @usableFromInline let expires: UInt64
  @usableFromInline let facts: HybridFacts?

  @inlinable
  @inline(__always)
  init(
    _ value: Value, _ tier: HybridTier, created: UInt64, expires: UInt64, facts: HybridFacts?,
    freshness: Freshness = .fresh
  ) {
    self.value = value
    self.tier = tier
    self.freshness = freshness
    createdMicroseconds = created
    self.expires = expires
    self.facts = facts
  }

  /// The same with another value, or otherwise to be trusted.
  func with(value: Value? = nil, freshness: Freshness? = nil) -> CacheHit {
    CacheHit(
      value ?? self.value, tier, created: createdMicroseconds, expires: expires, facts: facts,
      freshness: freshness ?? self.freshness)
  }

  /// When it expires, microseconds of the cache's clock, or nil for never.
  public var expiresMicroseconds: UInt64? { expires == .max ? nil : expires }
  /// The version that the origin gave it, such as an HTTP ETag.
  public var version: String? { facts?.version }
  /// What it is, such as `image/jpeg`, where that was said.
  public var contentType: String? { facts?.contentType }
  /// Whether it stays until it is removed by its key.
  public var isPermanent: Bool { facts?.isPermanent ?? false }
}
