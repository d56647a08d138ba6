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

  var creation: UInt64 { metadata.facts?.metadata.creation ?? createdBits }
}

extension MemoryRecord {
  /// Bytes of memory for an entry in addition to its value: record, slots, the policy's state and
  /// allocations. An estimate for policies with as much state as LRU.
  func overhead<Key: DiskKeyRepresentable>(_ key: Key) -> Int {
    var bytes = (ShardRecords<Key, MemoryRecord<Value>>.stride + 32) * 9 / 8
    if Key.self == String.self {
      bytes += Self.allocated(unsafeBitCast(key, to: String.self))
    } else if !_isPOD(Key.self) {
      bytes += 2 * key.diskKey.utf8.count + 128
    }
    if !_isPOD(Value.self) { bytes += 48 }
    if let facts = metadata.facts {
      bytes +=
        128 + Self.allocated(facts.metadata.version ?? "")
        + Self.allocated(facts.metadata.contentType ?? "")
    }
    return bytes
  }

  private static func allocated(_ text: String) -> Int {
    let count = text.utf8.count
    return count <= 15 ? 0 : (count + 56) & ~15
  }
}

@usableFromInline enum EntryMetadata: Sendable {
  /// Only the expiry: 56 bits of microseconds, lowest first, all ones for never. Needs no reference
  /// counting.
  case expiry(UInt32, UInt16, UInt8)
  case facts(EntryFacts)

  /// The first time that does not fit the fields of entries without facts, in microseconds: some
  /// 2283 years. As an expiry, it and its predecessor are stored as facts.
  static var limit: UInt64 { 1 << 56 }

  init(_ metadata: DiskMetadata, data: Data? = nil) {
    let expiry = metadata.expiry
    if metadata.version == nil, metadata.contentType == nil, !metadata.isPermanent,
      metadata.fetchCost == 1, data == nil, !metadata.mustRevalidate,
      metadata.creation < Self.limit, expiry < Expiry(Self.limit - 1) || expiry == .never
    {
      let expires = expiry.microseconds
      self = .expiry(
        UInt32(truncatingIfNeeded: expires), UInt16(truncatingIfNeeded: expires >> 32),
        UInt8(truncatingIfNeeded: expires >> 48))
    } else {
      self = .facts(EntryFacts(metadata, data))
    }
  }

  /// Expiry, that of the disk tier if there is one; memory may evict the value earlier.
  var expiry: Expiry {
    switch self {
    case .expiry(let low, let middle, let high):
      let instant = UInt64(high) << 48 | UInt64(middle) << 32 | UInt64(low)
      return instant == Self.limit - 1 ? .never : Expiry(instant)
    case .facts(let facts): return facts.metadata.expiry
    }
  }

  var facts: EntryFacts? {
    if case .facts(let facts) = self { facts } else { nil }
  }

  /// All metadata of an entry that was created at this time.
  func all(created: UInt64) -> DiskMetadata {
    facts?.metadata ?? DiskMetadata(creation: created, expiry: expiry)
  }
}

@usableFromInline final class EntryFacts: Sendable {
  let metadata: DiskMetadata
  /// The encoded value, if the value itself is not kept.
  let data: Data?

  init(_ metadata: DiskMetadata, _ data: Data?) {
    self.metadata = metadata
    self.data = data
  }
}
