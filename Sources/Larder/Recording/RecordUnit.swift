import LarderEngine

/// An operation, and how it lies in a ring.
///
/// A get is one `RecordWord`. Any other operation is a word with the time in its upper 56 bits and
/// kind, outcome and whether there is more in the lower 8; the hash of its key; and, in two words
/// more, size, life and cost.
struct RecordUnit {
  /// The hash of the key without its lowest two bits, which are taken in a get's word.
  let hash: UInt64
  var time: UInt64
  var kind: RecordedEvent.Kind
  var outcome: RecordedEvent.Outcome = .unknown
  /// Nil where it is not known.
  var size: UInt64?
  /// Milliseconds; 0 for none.
  var lifetime: UInt32 = 0
  /// 1 where nothing was said.
  var cost: Float = 1

  init(_ kind: RecordedEvent.Kind, _ hash: UInt64, time: UInt64) {
    self.hash = Self.known(hash)
    self.time = time
    self.kind = kind
  }

  // By pattern: `==` would call a function of another module for each get.

  /// Whether it is a get.
  var isGet: Bool { if case .get = kind { true } else { false } }
  /// Whether it was a hit.
  var isHit: Bool { if case .hit = outcome { true } else { false } }

  /// What is recorded of a hash.
  static func known(_ hash: UInt64) -> UInt64 { hash & ~RecordWord.mask }

  /// Words that it takes in a ring, where it is no get with a word of its own.
  var words: UInt32 { hasMore ? 4 : 2 }

  /// Whether size, life or cost is known.
  var hasMore: Bool { size != nil || lifetime != 0 || cost != 1 }
  private static var moreBit: UInt64 { 1 << 7 }
  private static var noSize: UInt64 { .max }

  /// Stores it at a word of a ring, with another time.
  func store(in ring: RecordRing, at number: UInt32, time: UInt64) {
    ring[number] =
      time &<< 8 | (hasMore ? Self.moreBit : 0) | UInt64(outcome.rawValue) &<< 5
      | UInt64(kind.rawValue) &<< 2 | RecordWord.operation
    ring[number &+ 1] = hash
    guard hasMore else { return }
    ring[number &+ 2] = size ?? Self.noSize
    ring[number &+ 3] = UInt64(lifetime) &<< 32 | UInt64(cost.bitPattern)
  }

  /// The operation at a word of a ring that is neither a get nor a time.
  init(in ring: RecordRing, at number: UInt32) {
    let word = ring[number]
    hash = ring[number &+ 1]
    time = word >> 8
    kind = RecordedEvent.Kind(rawValue: UInt8(word >> 2 & 7)) ?? .get
    outcome = RecordedEvent.Outcome(rawValue: UInt8(word >> 5 & 3)) ?? .unknown
    guard word & Self.moreBit != 0 else { return }
    let (bytes, rest) = (ring[number &+ 2], ring[number &+ 3])
    size = bytes == Self.noSize ? nil : bytes
    lifetime = UInt32(rest >> 32)
    cost = Float(bitPattern: UInt32(truncatingIfNeeded: rest))
  }
}

extension RecordUnit {
  /// Sets the life from microseconds, of which 0 is none; the file has milliseconds, rounded up.
  mutating func setLifetime(microseconds: UInt64) {
    lifetime = UInt32(clamping: microseconds / 1000 + (microseconds % 1000 == 0 ? 0 : 1))
  }
}
