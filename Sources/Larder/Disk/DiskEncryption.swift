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

  /// Encryption of the keys and values of a disk cache with a key that the app provides.
  ///
  /// ```swift
  /// let encryption = try DiskEncryption(key: keyFromTheKeychain)
  /// let cache = try await DiskCache(
  ///   path: folder, configuration: DiskConfiguration(encryption: encryption))
  /// ```
  ///
  /// **Method.** AES-GCM (NIST SP 800-38D, 2007), with keys for values, headers and suite names
  /// that HKDF-SHA-256 (RFC 5869, 2010) derives from the app's key and a random salt, and a random
  /// nonce of 96 bits per write, which is safe for 2^32 writes of a folder. A value is bound to its
  /// suite, key and row. A value that was tampered with is a miss; another change is damage.
  ///
  /// **Not hidden** from someone who can read the disk: numbers and sizes of entries, suites and
  /// identities of codecs, times, costs, order and frequency of use. Someone who can write to it
  /// can remove entries and restore older states. Keys and values in use are not encrypted in
  /// memory.
  ///
  /// A folder is encrypted from its first opening or never: opening it with another key, without
  /// its key, or with a key although it is not encrypted is an error and changes nothing.
  public struct DiskEncryption: Sendable, Hashable {
    let key: SymmetricKey

    package static var isAvailable: Bool { true }

    /// Creates an encryption with a random key of 128, 192 or 256 bits. Do not use a password.
    ///
    /// - Throws: `encryptionKeyLength`.
    public init(key: SymmetricKey) throws(DiskCacheError) {
      guard [128, 192, 256].contains(key.bitCount) else {
        throw .encryptionKeyLength(bits: key.bitCount)
      }
      self.key = key
    }

    /// Creates an encryption with a random key of 16, 24 or 32 bytes. Do not use a password.
    ///
    /// - Throws: `encryptionKeyLength`.
    public init(key: Data) throws(DiskCacheError) { try self.init(key: SymmetricKey(data: key)) }

    /// Returns true if both have the same key, compared in constant time.
    public static func == (one: DiskEncryption, other: DiskEncryption) -> Bool {
      one.key == other.key
    }

    /// Hashes the length of the key only.
    public func hash(into hasher: inout Hasher) { hasher.combine(key.bitCount) }
  }

  extension DiskEncryption: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
  {
    /// A description with the key's length, not the key.
    public var description: String { "AES-GCM with a key of \(key.bitCount) bits" }

    /// A description with the key's length, not the key.
    public var debugDescription: String { description }

    /// Empty, so that no dump shows the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }
#endif

#if !Encryption
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Encryption of a disk cache, which this build does not have: it requires the package trait
  /// `Encryption`. This type has no values, so no cache can be encrypted, and opening an encrypted
  /// one is an error.
  public enum DiskEncryption: Sendable, Hashable {
    /// False: this build cannot encrypt.
    package static var isAvailable: Bool { false }
  }

  enum DiskSeal: Sendable {
    static var overhead: Int { 0 }

    static func newFact(_ encryption: DiskEncryption) -> Data? { nil }

    init?(_ encryption: DiskEncryption, fact: UnsafeRawBufferPointer) { switch encryption {} }

    static func binding(_ key: DiskKey) -> Data { Data() }

    static func mark(_ sealed: UnsafeRawBufferPointer) -> UInt64 { 0 }

    func sealValue(_ value: UnsafeRawBufferPointer, _ key: DiskKey) -> Data? { switch self {} }

    func openValue(
      _ sealed: UnsafeRawBufferPointer, bytes: Int, mark: UInt64, _ binding: Data
    ) -> Data? { switch self {} }

    func sealHeader(_ header: DiskHeader, _ row: DiskRow) -> Data? { switch self {} }

    func openHeader(_ sealed: UnsafeRawBufferPointer, _ row: DiskRow) -> DiskHeader? {
      switch self {}
    }

    func sealSuite(_ name: String, number: UInt32) -> Data? { switch self {} }

    func openSuite(_ sealed: UnsafeRawBufferPointer, number: UInt32) -> String? { switch self {} }

    func sealBlock(_ block: Data, _ generation: UInt64, _ number: UInt64) -> Data? {
      switch self {}
    }

    func openBlock(
      _ sealed: UnsafeRawBufferPointer, _ generation: UInt64, _ number: UInt64
    ) -> Data? { switch self {} }

    func tag(_ binding: Data) -> Int64 { switch self {} }
  }
#endif
