/// A set of keys that never forgets one and rarely claims one that it was not given (Bloom,
/// Space/time trade-offs in hash coding with allowable errors, CACM 1970).
///
/// Keys are known by 32-bit fingerprints, so a claim may also be wrong because two keys share one:
/// with n keys that adds n / 2^32 to the stated error. Memory: 1.5 log2(1 / error) bits a key, 7.7
/// for an error of 3 %.
public struct BloomFilter: ~Copyable {
  @usableFromInline var words: Column<UInt64>
  @usableFromInline let bits: UInt64
  @usableFromInline let probes: Int
  /// How many keys it can take before it is wrong more often than stated.
  public let capacity: Int
  /// Keys inserted since it was last empty, those that it thought it had not counted.
  @inlinable
  @inline(__always)
  public var count: Int { inserted }
  @usableFromInline var inserted = 0

  /// An empty set that, once it holds `capacity` keys, claims one that it does not hold with the
  /// probability `error`, which is between 0 and 1.
  public init(capacity: Int, error: Double) {
    // A twentieth more bits than the formula, which neglects that the number of probes is whole.
    let ln2 = 0.6931471805599453
    let bitsPerKey = -DeterministicMath.log(error) / (ln2 * ln2)
    self.capacity = max(capacity, 1)
    bits = max(64, UInt64((Double(self.capacity) * bitsPerKey * 1.05).rounded(.up)))
    probes = max(1, Int((bitsPerKey * ln2).rounded()))
    words = Column(objects: Int(bits / 64))
  }

  /// Whether the key was inserted: surely not, or very likely. O(1).
  @inlinable
  @inline(__always)
  public func contains(_ fingerprint: UInt32) -> Bool {
    var (hash, step) = BloomFilter.hashes(fingerprint)
    for _ in 0..<probes {
      let bit = hash.multipliedFullWidth(by: bits).high
      if words[UInt32(truncatingIfNeeded: bit / 64)] >> (bit % 64) & 1 == 0 { return false }
      hash &+= step
    }
    return true
  }

  /// Inserts a key, and says whether it was not there before, as far as `contains` can tell. O(1).
  @inlinable
  @inline(__always)
  public mutating func insert(_ fingerprint: UInt32) -> Bool {
    var (hash, step) = BloomFilter.hashes(fingerprint)
    var isNew = false
    for _ in 0..<probes {
      let bit = hash.multipliedFullWidth(by: bits).high
      let word = UInt32(truncatingIfNeeded: bit / 64)
      let mask: UInt64 = 1 << (bit % 64)
      isNew = isNew || words[word] & mask == 0
      words[word] |= mask
      hash &+= step
    }
    if isNew { inserted += 1 }
    return isNew
  }

  /// Forgets everything. O(capacity).
  public mutating func clear() {
    for word in 0...UInt32(truncatingIfNeeded: bits / 64) { words[word] = 0 }
    inserted = 0
  }

  /// Brings the first bit of a key near.
  @inlinable
  @inline(__always)
  public func prefetch(_ fingerprint: UInt32) {
    let bit = BloomFilter.hashes(fingerprint).0.multipliedFullWidth(by: bits).high
    words.prefetch(UInt32(truncatingIfNeeded: bit / 64))
  }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes }

  /// Two hashes, of which every probe is a sum (Kirsch and Mitzenmacher, Less hashing, same
  /// performance: building a better Bloom filter, ESA 2006).
  @inlinable
  @inline(__always)
  static func hashes(_ fingerprint: UInt32) -> (UInt64, UInt64) {
    var hash = (UInt64(fingerprint) &+ 0x632B_E59B_D9B4_E019) &* 0xBF58_476D_1CE4_E5B9
    hash = (hash ^ hash >> 29) &* 0x94D0_49BB_1331_11EB
    hash ^= hash >> 32
    return (hash, hash &* 0x9E37_79B9_7F4A_7C15 | 1)
  }
}
