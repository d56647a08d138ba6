import LarderEngine

/// An operation as it lies in a ring: the hash of its key; a word with the time in its upper 56
/// bits and the kind, the outcome and whether there is more in the lower 8; and, in a unit of its
/// own, size, life and cost.
struct RecordUnit {
  var hash: UInt64
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
    self.hash = hash
    self.time = time
    self.kind = kind
  }

  /// Whether a second unit is needed.
  var hasMore: Bool { size != nil || lifetime != 0 || cost != 1 }

  private static var moreBit: UInt64 { 1 << 5 }
  private static var noSize: UInt64 { .max }

  /// The second word.
  private static func word(
    _ time: UInt64, _ kind: RecordedEvent.Kind, _ outcome: RecordedEvent.Outcome
  ) -> UInt64 {
    time &<< 8 | UInt64(kind.rawValue) | UInt64(outcome.rawValue) &<< 3
  }

  /// Stores the first unit, with another time.
  func store(at place: UnsafeMutableRawPointer, time: UInt64) {
    place.storeBytes(of: hash, as: UInt64.self)
    let word = Self.word(time, kind, outcome) | (hasMore ? Self.moreBit : 0)
    place.storeBytes(of: word, toByteOffset: 8, as: UInt64.self)
  }

  /// Stores the second unit.
  func storeMore(at place: UnsafeMutableRawPointer) {
    place.storeBytes(of: size ?? Self.noSize, as: UInt64.self)
    place.storeBytes(of: lifetime, toByteOffset: 8, as: UInt32.self)
    place.storeBytes(of: cost.bitPattern, toByteOffset: 12, as: UInt32.self)
  }

  /// The time and the kind in a unit, for putting units in order.
  static func order(at place: UnsafeMutableRawPointer) -> (time: UInt64, isGet: Bool) {
    let word = place.load(fromByteOffset: 8, as: UInt64.self)
    return (word >> 8, word & 7 == UInt64(RecordedEvent.Kind.get.rawValue))
  }

  /// Whether a second unit follows the one at `place`.
  static func hasMore(at place: UnsafeMutableRawPointer) -> Bool {
    place.load(fromByteOffset: 8, as: UInt64.self) & moreBit != 0
  }

  /// The operation in a unit, and in the one behind it where there is more.
  init(at place: UnsafeMutableRawPointer, more: UnsafeMutableRawPointer) {
    hash = place.load(as: UInt64.self)
    let word = place.load(fromByteOffset: 8, as: UInt64.self)
    time = word >> 8
    kind = RecordedEvent.Kind(rawValue: UInt8(word & 7)) ?? .get
    outcome = RecordedEvent.Outcome(rawValue: UInt8(word >> 3 & 3)) ?? .unknown
    guard word & Self.moreBit != 0 else { return }
    let bytes = more.load(as: UInt64.self)
    size = bytes == Self.noSize ? nil : bytes
    lifetime = more.load(fromByteOffset: 8, as: UInt32.self)
    cost = Float(bitPattern: more.load(fromByteOffset: 12, as: UInt32.self))
  }
}

extension RecordUnit {
  /// Sets the life from microseconds, of which 0 is none; the file has milliseconds, rounded up.
  mutating func setLifetime(microseconds: UInt64) {
    lifetime = UInt32(clamping: microseconds / 1000 + (microseconds % 1000 == 0 ? 0 : 1))
  }
}
