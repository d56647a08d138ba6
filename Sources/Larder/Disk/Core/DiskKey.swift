/// A key as the core sees it: bytes that live as long as the call, and where they belong.
struct DiskKey {
  let bytes: UnsafeRawBufferPointer
  let suite: UInt32
  let digest: KeyDigest

  init(_ bytes: UnsafeRawBufferPointer, suite: UInt32, seed: UInt64) {
    self.bytes = bytes
    self.suite = suite
    digest = KeyDigest(bytes, suite: suite, seed: seed)
  }

  /// A key whose digest is known.
  init(_ bytes: UnsafeRawBufferPointer, suite: UInt32, digest: KeyDigest) {
    self.bytes = bytes
    self.suite = suite
    self.digest = digest
  }

  /// The longest key, in bytes: with the rest of its row it fits SQLite's limit of 10^9.
  static var bytesMax: Int { 100_000_000 }
  /// The largest value in a file of its own.
  static var valueBytesMax: Int { Int(UInt32.max) - 1 }
  /// The largest value in a row, whatever the configuration says.
  static var inlineBytesMax: Int { 500_000_000 }
}
