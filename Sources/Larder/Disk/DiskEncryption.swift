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
#elseif canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
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
///
/// Requires the package trait `Encryption`: without it, no value of this type can be created.
public struct DiskEncryption: Sendable, Hashable {
  #if Encryption
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
  #else
    package static var isAvailable: Bool { false }

    private init() {}
  #endif
}

#if Encryption
  extension DiskEncryption: CustomStringConvertible, CustomReflectable {
    /// A description with the key's length, not the key.
    public var description: String { "AES-GCM with a key of \(key.bitCount) bits" }

    /// Empty, so that no dump shows the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
  }

  /// A key of a cache for one purpose.
  struct SealKey: Sendable {
    private let key: SymmetricKey

    init(_ encryption: DiskEncryption, _ salt: Data, purpose: String) {
      key = HKDF<SHA256>.deriveKey(
        inputKeyMaterial: encryption.key, salt: salt, info: Data("larder \(purpose)".utf8),
        outputByteCount: encryption.key.bitCount / 8)
    }

    func seal(_ text: UnsafeRawBufferPointer, _ binding: Data) -> Data? {
      // The nonce is random for each call.
      try? AES.GCM.seal(Self.view(text), using: key, authenticating: binding).combined
    }

    func open(_ sealed: UnsafeRawBufferPointer, _ binding: Data) -> Data? {
      guard let box = try? AES.GCM.SealedBox(combined: Self.view(sealed)) else { return nil }
      return try? AES.GCM.open(box, using: key, authenticating: binding)
    }

    func tag(_ binding: Data) -> Int64 {
      let code = HMAC<SHA256>.authenticationCode(for: binding, using: key)
      return code.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
    }

    private static func view(_ bytes: UnsafeRawBufferPointer) -> Data {
      guard let base = bytes.baseAddress, !bytes.isEmpty else { return Data() }
      return Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: bytes.count,
        deallocator: .none)
    }
  }
#else
  struct SealKey: Sendable {
    init(_ encryption: DiskEncryption, _: Data, purpose: String) {}

    func seal(_ text: UnsafeRawBufferPointer, _ binding: Data) -> Data? { nil }
    func open(_ sealed: UnsafeRawBufferPointer, _ binding: Data) -> Data? { nil }
    func tag(_ binding: Data) -> Int64 { 0 }
  }
#endif
