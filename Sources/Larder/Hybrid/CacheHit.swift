/// A value that a cache had, with what is known of it.
public struct CacheHit<Value: Sendable>: Sendable {
  /// How far a value from the cache can be trusted to be the origin's.
  public enum Freshness: UInt8, Sendable, Hashable {
    /// It has not expired.
    case fresh
    /// The origin has just said that it still holds.
    case revalidated
    /// It has expired or may not hold any more: the origin could not be asked, or has not answered
    /// yet.
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

  /// The same with another value, or otherwise to be trusted.
  func with(value: Value? = nil, freshness: Freshness? = nil) -> CacheHit {
    CacheHit(
      value ?? self.value, tier, created: createdMicroseconds, note,
      freshness: freshness ?? self.freshness)
  }

  /// Which tier had it.
  @inlinable public var tier: HybridTier { stamp & 1 == 0 ? .memory : .disk }
  /// How far it can be trusted.
  @inlinable public var freshness: Freshness {
    Freshness(rawValue: UInt8(stamp >> 1 & 3)) ?? .stale
  }
  /// When it was stored or last found to still hold, microseconds of the cache's clock.
  @inlinable public var createdMicroseconds: UInt64 { note.facts?.created ?? stamp >> 8 }
  /// When it expires, microseconds of the cache's clock, or nil for never.
  @inlinable public var expiresMicroseconds: UInt64? { expires == .max ? nil : expires }
  /// The version that the origin gave it, such as an HTTP ETag.
  public var version: String? { note.facts?.version }
  /// What it is, such as `image/jpeg`, where that was said.
  public var contentType: String? { note.facts?.contentType }
  /// Whether it stays until it is removed by its key.
  public var isPermanent: Bool { note.facts?.isPermanent ?? false }

  /// How long it lives from `createdMicroseconds` on, or nil for ever.
  var lifetime: Duration? {
    guard expires != .max else { return nil }
    let life = expires - min(createdMicroseconds, expires)
    return .microseconds(Int64(clamping: life))
  }

  /// When it expires, `UInt64.max` for never.
  @inlinable var expires: UInt64 { note.expires }
}
