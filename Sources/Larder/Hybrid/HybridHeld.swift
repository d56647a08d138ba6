#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a hybrid cache keeps in memory under a key.
///
/// Little, since a hit takes as long as the cache lines do that it touches: what few entries have
/// is in `note`, and the instant of storing fills what an optional value leaves of a word.
@usableFromInline struct HybridHeld<Value: Sendable>: Sendable {
  /// Nil where every read is to have a value of its own: the bytes are in `note`.
  @usableFromInline let value: Value?
  // The instant of storing, 56 bits of it, in the order that leaves no gap behind one byte.
  @usableFromInline let createdHigh: UInt8
  @usableFromInline let createdMiddle: UInt16
  @usableFromInline let createdLow: UInt32
  /// The rest.
  @usableFromInline let note: HybridNote

  init(_ value: Value?, created: UInt64, _ note: HybridNote) {
    self.value = value
    createdHigh = UInt8(truncatingIfNeeded: created >> 48)
    createdMiddle = UInt16(truncatingIfNeeded: created >> 32)
    createdLow = UInt32(truncatingIfNeeded: created)
    self.note = note
  }

  /// When it was stored, microseconds, as far as the fields know; the facts, where there are any,
  /// know better.
  @inlinable @inline(__always) var createdBits: UInt64 {
    UInt64(createdHigh) << 48 | UInt64(createdMiddle) << 32 | UInt64(createdLow)
  }
}

extension HybridHeld {
  /// Bytes that memory takes for an entry beside those of its value: its record with room to grow,
  /// its place in the directory, what a policy keeps of an id, and allocations that key, value and
  /// metadata point to, each with its header. An estimate for policies that keep as much as LRU;
  /// others keep more, and some also keys of entries that were evicted.
  func overhead<Key: DiskKeyRepresentable>(_ key: Key) -> Int {
    var bytes = (ShardRecords<Key, HybridHeld<Value>>.stride + 32) * 9 / 8
    if Key.self == String.self {
      bytes += Self.allocated(unsafeBitCast(key, to: String.self))
    } else if !_isPOD(Key.self) {
      bytes += 2 * key.diskKey.utf8.count + 128
    }
    if !_isPOD(Value.self) { bytes += 48 }
    if let facts = note.facts {
      bytes += 128 + Self.allocated(facts.version ?? "") + Self.allocated(facts.contentType ?? "")
    }
    return bytes
  }

  /// Bytes of a text that its value points to; up to 15 are in the value itself.
  private static func allocated(_ text: String) -> Int {
    let count = text.utf8.count
    return count <= 15 ? 0 : (count + 56) & ~15
  }
}

/// What is known of a value beside the instant at which it was stored, in one word.
@usableFromInline enum HybridNote: Sendable {
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
@usableFromInline final class HybridFacts: Sendable {
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
