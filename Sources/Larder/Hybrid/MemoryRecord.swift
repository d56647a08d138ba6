#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Record of a key in the memory tier of a hybrid cache.
///
/// Kept small, because a hit costs one cache miss per line touched: rare metadata is in `metadata`,
/// and the creation time fills the padding after an optional value.
@usableFromInline struct MemoryRecord<Value: Sendable>: Sendable {
  /// Nil if every read decodes its own value: the bytes are in `metadata`.
  @usableFromInline let value: Value?
  // The creation time in 56 bits, ordered so that no padding follows the single byte.
  @usableFromInline let createdHigh: UInt8
  @usableFromInline let createdMiddle: UInt16
  @usableFromInline let createdLow: UInt32
  @usableFromInline let metadata: EntryMetadata

  init(_ value: Value?, created: UInt64, _ metadata: EntryMetadata) {
    self.value = value
    createdHigh = UInt8(truncatingIfNeeded: created >> 48)
    createdMiddle = UInt16(truncatingIfNeeded: created >> 32)
    createdLow = UInt32(truncatingIfNeeded: created)
    self.metadata = metadata
  }

  /// Creation time in microseconds, limited to the fields' range; `facts`, if any, are exact.
  @inlinable @inline(__always) var createdBits: UInt64 {
    UInt64(createdHigh) << 48 | UInt64(createdMiddle) << 32 | UInt64(createdLow)
  }

  /// Creation time in microseconds.
  var creation: UInt64 { metadata.facts?.created ?? createdBits }
}

extension MemoryRecord {
  /// Bytes of memory for an entry in addition to its value: its record with room to grow, its slot
  /// in the directory, the policy's state per id, and allocations for key, value and metadata, each
  /// with a header. An estimate for policies with as much state as LRU; others keep more, some also
  /// keys of evicted entries.
  func overhead<Key: DiskKeyRepresentable>(_ key: Key) -> Int {
    var bytes = (ShardRecords<Key, MemoryRecord<Value>>.stride + 32) * 9 / 8
    if Key.self == String.self {
      bytes += Self.allocated(unsafeBitCast(key, to: String.self))
    } else if !_isPOD(Key.self) {
      bytes += 2 * key.diskKey.utf8.count + 128
    }
    if !_isPOD(Value.self) { bytes += 48 }
    if let facts = metadata.facts {
      bytes += 128 + Self.allocated(facts.version ?? "") + Self.allocated(facts.contentType ?? "")
    }
    return bytes
  }

  /// Bytes of a string's heap allocation; up to 15 are stored inline.
  private static func allocated(_ text: String) -> Int {
    let count = text.utf8.count
    return count <= 15 ? 0 : (count + 56) & ~15
  }
}

/// Metadata of a value, except its creation time, in one word.
@usableFromInline enum EntryMetadata: Sendable {
  /// Only the expiry: 56 bits of microseconds, lowest first, all ones for never. Needs no reference
  /// counting.
  case expiry(UInt32, UInt16, UInt8)
  case facts(EntryFacts)

  /// The first time that does not fit the fields of entries without facts, in microseconds: some
  /// 2283 years. As an expiry, it and its predecessor are stored as facts.
  @inlinable static var limit: UInt64 { 1 << 56 }

  init(
    created: UInt64, expiry: Expiry, version: String? = nil, contentType: String? = nil,
    isPermanent: Bool = false, cost: Float = 1, data: Data? = nil, mustRevalidate: Bool = false
  ) {
    if version == nil, contentType == nil, !isPermanent, cost == 1, data == nil, !mustRevalidate,
      created < Self.limit, expiry < Expiry(Self.limit - 1) || expiry == .never
    {
      let expires = expiry.microseconds
      self = .expiry(
        UInt32(truncatingIfNeeded: expires), UInt16(truncatingIfNeeded: expires >> 32),
        UInt8(truncatingIfNeeded: expires >> 48))
    } else {
      self = .facts(
        EntryFacts(
          created: created, expiry: expiry, version: version, contentType: contentType,
          isPermanent: isPermanent, cost: cost, data: data, mustRevalidate: mustRevalidate))
    }
  }

  /// Expiry, that of the disk tier if there is one; memory may evict the value earlier.
  @inlinable var expiry: Expiry {
    switch self {
    case .expiry(let low, let middle, let high):
      let instant = UInt64(high) << 48 | UInt64(middle) << 32 | UInt64(low)
      return instant == Self.limit - 1 ? .never : Expiry(instant)
    case .facts(let facts): return facts.expiry
    }
  }

  @inlinable var facts: EntryFacts? {
    if case .facts(let facts) = self { facts } else { nil }
  }
}

/// Metadata of an entry that has more than a creation time and an expiry.
@usableFromInline final class EntryFacts: Sendable {
  @usableFromInline let created: UInt64
  @usableFromInline let expiry: Expiry
  let version: String?
  let contentType: String?
  let isPermanent: Bool
  let cost: Float
  /// The encoded value, if the value itself is not kept.
  let data: Data?
  /// True if the origin forbids using the value after it has expired, even if the origin fails.
  let mustRevalidate: Bool

  init(
    created: UInt64, expiry: Expiry, version: String?, contentType: String?, isPermanent: Bool,
    cost: Float, data: Data?, mustRevalidate: Bool
  ) {
    self.created = created
    self.expiry = expiry
    self.version = version
    self.contentType = contentType
    self.isPermanent = isPermanent
    self.cost = cost
    self.data = data
    self.mustRevalidate = mustRevalidate
  }
}
