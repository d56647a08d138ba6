#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is known of a value beside the instant at which it was stored, in one word.
@usableFromInline
enum HybridNote: Sendable {
  /// When it expires, and nothing else: 56 bits of microseconds, the lowest first, all of them set
  /// for never. It counts no references.
  case expiry(UInt32, UInt16, UInt8)
  /// Everything, where there is more to be said.
  case facts(HybridFacts)

  /// The first instant that the fields of entries without facts cannot say, microseconds: some 2283
  /// years. As an expiry it and its predecessor are facts.
  @inlinable static var limit: UInt64 { 1 << 56 }

  init(
    created: UInt64, expires: UInt64, version: String? = nil, contentType: String? = nil,
    isPermanent: Bool = false, cost: Float = 1, data: Data? = nil, mustRevalidate: Bool = false
  ) {
    if version == nil, contentType == nil, !isPermanent, cost == 1, data == nil, !mustRevalidate,
      created < Self.limit, expires < Self.limit - 1 || expires == .max
    {
      self = .expiry(
        UInt32(truncatingIfNeeded: expires), UInt16(truncatingIfNeeded: expires >> 32),
        UInt8(truncatingIfNeeded: expires >> 48))
    } else {
      self = .facts(
        HybridFacts(
          created: created, expires: expires, version: version, contentType: contentType,
          isPermanent: isPermanent, cost: cost, data: data, mustRevalidate: mustRevalidate))
    }
  }

  /// When the value expires, microseconds, or `UInt64.max` for never: as disk has it where there is
  /// one; memory may give it up before.
  @inlinable var expires: UInt64 {
    switch self {
    case .expiry(let low, let middle, let high):
      let instant = UInt64(high) << 48 | UInt64(middle) << 32 | UInt64(low)
      return instant == Self.limit - 1 ? .max : instant
    case .facts(let facts): return facts.expires
    }
  }

  /// What few entries have.
  @inlinable var facts: HybridFacts? {
    if case .facts(let facts) = self { facts } else { nil }
  }
}

/// What is known of an entry of which there is more to be said than when it was stored and when it
/// expires.
@usableFromInline
final class HybridFacts: Sendable {
  @usableFromInline let created: UInt64
  @usableFromInline let expires: UInt64
  let version: String?
  let contentType: String?
  let isPermanent: Bool
  let cost: Float
  /// The encoded value, where the value itself is not kept.
  let data: Data?
  /// True if its origin forbids using it once it has expired, even if the origin fails.
  let mustRevalidate: Bool

  init(
    created: UInt64, expires: UInt64, version: String?, contentType: String?, isPermanent: Bool,
    cost: Float, data: Data?, mustRevalidate: Bool
  ) {
    self.created = created
    self.expires = expires
    self.version = version
    self.contentType = contentType
    self.isPermanent = isPermanent
    self.cost = cost
    self.data = data
    self.mustRevalidate = mustRevalidate
  }
}
