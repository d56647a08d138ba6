/// What stands for a key in memory: 128 bits of hash of the suite and the key's bytes.
///
/// Two keys with one digest are possible and harmless: the key beside the value is compared before
/// a value is handed out, so that the worst is a miss.
struct KeyDigest: Hashable, Sendable {
  private let a: UInt64
  private let b: UInt64

  /// The digest of a key, under two seeds of the database's own.
  init(_ key: UnsafeRawBufferPointer, suite: UInt32, seed: UInt64) {
    let mixed = seed ^ UInt64(suite) &* 0xd6e8_feb8_6659_fd93
    a = ByteHash.hash(key, seed: mixed)
    b = ByteHash.hash(key, seed: ~mixed &+ 0x5851_f42d_4c95_7f2d)
  }

  /// What binds a value's checksum to its key, so that another key's value never passes for it.
  var checksumSeed: UInt64 { a }

  /// What stands for the key in sketches.
  var fingerprint: UInt32 { UInt32(truncatingIfNeeded: b) }

  func hash(into hasher: inout Hasher) { hasher.combine(a) }
}
