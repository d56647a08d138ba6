#if Encryption
  #if canImport(CryptoKit)
    public import CryptoKit
  #else
    public import Crypto
  #endif

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

  /// Encrypts everything that a disk cache stores of keys and values, with a key that the app gives.
  ///
  /// ```swift
  /// let encryption = try DiskEncryption(key: keyFromTheKeychain)
  /// let cache = try DiskCache(
  ///   path: folder, configuration: DiskConfiguration(encryption: encryption))
  /// ```
  ///
  /// **How.** AES-GCM (NIST SP 800-38D, 2007), with keys of the database's own, derived from the
  /// app's key and a random salt with HKDF-SHA-256 (RFC 5869, 2010): one for values and one for what
  /// stands beside them. Every writing draws a new random nonce of 96 bits; by the standard's bound
  /// that is safe for 2^32 values written, over the life of one folder. A value is bound to its suite
  /// and key, and to the row that names it: it cannot be passed off as another's, and neither can an
  /// older value of the same key be put beside a newer row. Version and content type, when the value
  /// was created and when it expires, and whether it is permanent are bound, too. What was tampered
  /// with is a miss, removed, and counted as damage.
  ///
  /// **What whoever has the disk still sees**: how many entries and suites there are, which entries
  /// share a suite and the identity of their codec, the sizes of values and about those of keys, when
  /// each was stored and expires, its cost, in which order and how often entries were used, and from
  /// old pages and logs how all this changed. Whoever can write to it can remove entries, and put an
  /// older state of an entry, or of the whole folder, back in place.
  ///
  /// **What stays in memory** is not encrypted: keys and values in use, and this key.
  ///
  /// A folder is encrypted from its first opening or never. To open it with another key, without
  /// one, or with one when it is not encrypted is an error, and leaves everything as it is.
  public struct DiskEncryption: Sendable, Hashable {
    let key: SymmetricKey

    /// Encryption with a key of 128, 192 or 256 bits, which should be random: a password is none.
    ///
    /// - Throws: `encryptionKeyLength`.
    public init(key: SymmetricKey) throws(DiskCacheError) {
      guard [128, 192, 256].contains(key.bitCount) else {
        throw .encryptionKeyLength(bits: key.bitCount)
      }
      self.key = key
    }

    /// The same with the bytes of a key: 16, 24 or 32.
    ///
    /// - Throws: `encryptionKeyLength`.
    public init(key: Data) throws(DiskCacheError) {
      try self.init(key: SymmetricKey(data: key))
    }

    /// Whether both have the same key. Takes as long whether they differ early, late or not at all.
    public static func == (one: DiskEncryption, other: DiskEncryption) -> Bool {
      one.key == other.key
    }

    /// The key's length alone: nothing else of it leaves.
    public func hash(into hasher: inout Hasher) { hasher.combine(key.bitCount) }
  }

  extension DiskEncryption: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
  {
    /// The key's length alone.
    public var description: String { "AES-GCM with a key of \(key.bitCount) bits" }

    /// The key's length alone.
    public var debugDescription: String { description }

    /// Nothing, so that no dump shows the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif
