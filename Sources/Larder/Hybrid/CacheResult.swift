#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The result of a request to a cache with an origin.
public enum CacheResult<Value: Sendable>: Sendable {
  /// The value was cached, or the origin confirmed the cached value.
  case hit(CacheHit<Value>)
  /// The value was not cached and comes from the origin.
  case miss(Value)
  /// No value: the origin does not have it, or was not asked.
  case absent
  /// The origin failed, and the cache has no value that may be returned instead.
  case failure(any Error)

  /// The value, if there is one.
  public var value: Value? {
    switch self {
    case .hit(let hit): hit.value
    case .miss(let value): value
    case .absent, .failure: nil
    }
  }

  /// Returns the value, or nil if it is absent.
  public func get() throws -> Value? {
    if case .failure(let error) = self { throw error }
    return value
  }
}

/// A cached value with its metadata.
public struct CacheHit<Value: Sendable>: Sendable {
  /// Freshness of a cached value.
  public enum Freshness: UInt8, Sendable, Hashable {
    /// It has not expired.
    case fresh
    /// The origin has just confirmed it.
    case revalidated
    /// It has expired or may be outdated: the origin could not be reached, or has not responded
    /// yet.
    case stale
  }

  /// The value.
  public let value: Value
  // The creation time in 56 bits, above two bits for the freshness and one for the tier: two words
  // with the metadata, so that more values fit in registers when returned.
  @usableFromInline let stamp: UInt64
  @usableFromInline let metadata: EntryMetadata

  @inlinable @inline(__always) init(
    _ value: Value, _ tier: HybridTier, created: UInt64, _ metadata: EntryMetadata,
    freshness: Freshness = .fresh
  ) {
    self.value = value
    stamp = created << 8 | UInt64(freshness.rawValue) << 1 | (tier == .disk ? 1 : 0)
    self.metadata = metadata
  }

  /// Creates a hit from an entry in place; nil if its value is kept encoded. Inlined as one
  /// expression, which saves a retain and a release of the value.
  @inlinable @inline(__always) init?(at held: UnsafePointer<MemoryRecord<Value>>) {
    guard let value = held.pointee.value else { return nil }
    self.value = value
    stamp = held.pointee.createdBits << 8
    metadata = held.pointee.metadata
  }

  /// Creates a hit, for example to test code that handles one; see the properties for the meaning
  /// of each.
  public init(
    _ value: Value, tier: HybridTier = .memory, created: Date = .now, expires: Date? = nil,
    version: String? = nil, contentType: String? = nil, isPermanent: Bool = false,
    freshness: Freshness = .fresh
  ) {
    let created = created.microsecondsSince1970
    self.init(
      value, tier, created: created,
      EntryMetadata(
        DiskMetadata(
          version: version, contentType: contentType, creation: created, expiry: Expiry(expires),
          isPermanent: isPermanent)),
      freshness: freshness)
  }

  func with(value: Value? = nil, freshness: Freshness? = nil) -> CacheHit {
    CacheHit(
      value ?? self.value, tier, created: creation, metadata,
      freshness: freshness ?? self.freshness)
  }

  /// The tier that had the value.
  @inlinable public var tier: HybridTier { stamp & 1 == 0 ? .memory : .disk }
  /// Freshness of the value.
  @inlinable public var freshness: Freshness {
    Freshness(rawValue: UInt8(stamp >> 1 & 3)) ?? .stale
  }
  /// Time of storing or of the last confirmation, by the cache's clock.
  public var created: Date { Date(microsecondsSince1970: creation) }
  /// Expiry, by the cache's clock, or nil for never.
  public var expires: Date? { expiry.date }
  /// Version from the origin, such as an HTTP ETag.
  public var version: String? { metadata.facts?.metadata.version }
  /// Its content type, such as `image/jpeg`, if known.
  public var contentType: String? { metadata.facts?.metadata.contentType }
  /// True if the entry is permanent: removed only by key.
  public var isPermanent: Bool { metadata.facts?.metadata.isPermanent ?? false }

  var mustRevalidate: Bool { metadata.facts?.metadata.mustRevalidate ?? false }

  package var creation: UInt64 { metadata.facts?.metadata.creation ?? stamp >> 8 }
  package var expiry: Expiry { metadata.expiry }

  var lifetime: Duration? {
    expiry == .never ? nil : .microseconds(Int64(clamping: expiry.lifeLeft(at: creation)))
  }
}

/// A tier of a hybrid cache.
public enum HybridTier: String, Sendable, Hashable, Codable, CaseIterable {
  /// The tier in memory, in front of the disk.
  case memory
  /// The tier on disk, behind memory.
  case disk
}

/// Strategy for fetching a value from a cache and its origin.
public enum CacheStrategy: String, Sendable, Hashable, Codable, CaseIterable {
  /// Returns the cached value at once, expired or not (see
  /// `HybridCacheConfiguration.staleWhileRevalidate`), and refreshes it in the background, unless
  /// the `maxAge` that its origin gave it has not passed. On a miss, waits for the origin.
  case cacheThenFetch = "cache-then-fetch"
  /// Returns the cached value; asks the origin only on a miss.
  case cacheElseFetch = "cache-else-fetch"
  /// Always asks the origin, which may respond that the cached value has not changed.
  case fetch
  /// Returns the cached value and never asks the origin.
  case cacheOnly = "cache-only"
}
