#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A cached value with its metadata.
public struct CacheHit<Value: Sendable>: Sendable {
  /// How fresh a cached value is.
  public enum Freshness: UInt8, Sendable, Hashable {
    /// It has not expired.
    case fresh
    /// The origin has just confirmed it.
    case revalidated
    /// It has expired or may be outdated: the origin could not be reached, or has not answered yet.
    case stale
  }

  /// The value.
  public let value: Value
  // The instant of storing, 56 bits, above two for the freshness and one that is set for disk: with
  // the note two words, so that few values are too large to be handed out in registers.
  @usableFromInline let stamp: UInt64
  @usableFromInline let note: HybridNote

  @inlinable
  @inline(__always)
  init(
    _ value: Value, _ tier: HybridTier, created: UInt64, _ note: HybridNote,
    freshness: Freshness = .fresh
  ) {
    self.value = value
    stamp = created << 8 | UInt64(freshness.rawValue) << 1 | (tier == .disk ? 1 : 0)
    self.note = note
  }

  /// A hit in memory, of an entry where it lies; nil where no value is kept. Made in one go: a
  /// value that is handed over on the way is counted up and down once more.
  @inlinable
  @inline(__always)
  init?(at held: UnsafePointer<HybridHeld<Value>>) {
    guard let value = held.pointee.value else { return nil }
    self.value = value
    stamp = held.pointee.createdBits << 8
    note = held.pointee.note
  }

  /// A hit, as for a test of code that handles one; see the properties for the meaning of each.
  public init(
    _ value: Value, tier: HybridTier = .memory, created: Date = .now, expires: Date? = nil,
    version: String? = nil, contentType: String? = nil, isPermanent: Bool = false,
    freshness: Freshness = .fresh
  ) {
    let created = created.microsecondsSince1970
    self.init(
      value, tier, created: created,
      HybridNote(
        created: created, expires: expires?.microsecondsSince1970 ?? .max, version: version,
        contentType: contentType, isPermanent: isPermanent),
      freshness: freshness)
  }

  /// The same with another value, or otherwise to be trusted.
  func with(value: Value? = nil, freshness: Freshness? = nil) -> CacheHit {
    CacheHit(
      value ?? self.value, tier, created: createdMicroseconds, note,
      freshness: freshness ?? self.freshness)
  }

  /// The tier that had it.
  @inlinable public var tier: HybridTier { stamp & 1 == 0 ? .memory : .disk }
  /// How fresh it is.
  @inlinable public var freshness: Freshness {
    Freshness(rawValue: UInt8(stamp >> 1 & 3)) ?? .stale
  }
  /// When it was stored or last confirmed, by the cache's clock.
  public var created: Date { Date(microsecondsSince1970: createdMicroseconds) }
  /// When it expires, by the cache's clock, or nil for never.
  public var expires: Date? { expiresMicroseconds.map { Date(microsecondsSince1970: $0) } }
  /// The version that the origin gave it, such as an HTTP ETag.
  public var version: String? { note.facts?.version }
  /// Its content type, such as `image/jpeg`, if known.
  public var contentType: String? { note.facts?.contentType }
  /// Whether it is permanent: removed only by key.
  public var isPermanent: Bool { note.facts?.isPermanent ?? false }

  /// True if its origin forbids using it once it has expired: HTTP's `no-cache` and
  /// `must-revalidate`.
  var mustRevalidate: Bool { note.facts?.mustRevalidate ?? false }

  /// When it was stored or last confirmed, microseconds of the cache's clock.
  package var createdMicroseconds: UInt64 { note.facts?.created ?? stamp >> 8 }
  /// When it expires, microseconds of the cache's clock, or nil for never.
  package var expiresMicroseconds: UInt64? { expiry == .max ? nil : expiry }

  /// Its lifetime from `created`, or nil for unlimited.
  var lifetime: Duration? {
    guard expiry != .max else { return nil }
    let life = expiry - min(createdMicroseconds, expiry)
    return .microseconds(Int64(clamping: life))
  }

  /// When it expires, microseconds, `UInt64.max` for never.
  var expiry: UInt64 { note.expires }
}
