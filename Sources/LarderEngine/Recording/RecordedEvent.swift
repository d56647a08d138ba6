/// What a recording holds of one operation of a cache.
package struct RecordedEvent: Sendable, Hashable {
  /// What was done.
  package enum Kind: UInt8, Sendable, CaseIterable {
    /// A value was asked for.
    case get
    /// A value was stored.
    case set
    /// An entry was removed by its key.
    case remove
    /// The object changed at its origin.
    case modify
    /// A value was asked for that no cache may store.
    case bypass
    /// The get before, which memory could not answer, was a hit on disk.
    case found
    /// Many entries were removed at once; the key means nothing.
    case clear
    /// The entry was given another life, or none of its own.
    case expire
  }

  /// What came of a get.
  package enum Outcome: UInt8, Sendable {
    /// Not known, or not a get.
    case unknown
    /// A value.
    case hit
    /// None.
    case miss
  }

  /// What stands for the key.
  package var key: UInt64
  /// Microseconds since the recording began.
  package var time: UInt64
  /// What was done.
  package var kind: Kind
  /// What came of it.
  package var outcome: Outcome
  /// Bytes, or what else the cache weighs entries by; nil where that is not known.
  package var size: UInt64?
  /// The life that the entry was given, milliseconds; nil for none of its own.
  package var lifetime: UInt64?
  /// What fetching the value costs; nil for no word about it.
  package var cost: Float?

  /// An event; see the properties for the meaning of each part.
  package init(
    key: UInt64, time: UInt64, kind: Kind, outcome: Outcome = .unknown, size: UInt64? = nil,
    lifetime: UInt64? = nil, cost: Float? = nil
  ) {
    self.key = key
    self.time = time
    self.kind = kind
    self.outcome = outcome
    self.size = size
    self.lifetime = lifetime
    self.cost = cost
  }
}
