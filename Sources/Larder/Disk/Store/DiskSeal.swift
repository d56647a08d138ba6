#if Encryption
  #if canImport(CryptoKit)
    import CryptoKit
  #else
    import Crypto
  #endif
  import LarderEngine

  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif

  /// Seals and opens the contents of an encrypted cache; see `DiskEncryption` for its guarantees.
  ///
  /// Sealed bytes are nonce, ciphertext and tag.
  struct DiskSeal: Sendable {
    static let overhead = 28
    static let saltBytes = 32
    private let values: SymmetricKey
    private let headers: SymmetricKey
    private let suites: SymmetricKey
    private let tags: SymmetricKey
    private let blocks: SymmetricKey

    init(_ encryption: DiskEncryption, salt: some DataProtocol) {
      func derive(_ purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
          inputKeyMaterial: encryption.key, salt: Data(salt), info: Data("larder \(purpose)".utf8),
          outputByteCount: encryption.key.bitCount / 8)
      }
      values = derive("values")
      headers = derive("headers")
      suites = derive("suites")
      tags = derive("tags")
      blocks = derive("blocks")
    }

    // MARK: Verification of the key

    static func newFact(_ encryption: DiskEncryption) -> Data? {
      var random = SystemRandomNumberGenerator()
      var fact = Data()
      for _ in 0..<saltBytes / 8 {
        withUnsafeBytes(of: random.next()) { fact.append(contentsOf: $0) }
      }
      let seal = DiskSeal(encryption, salt: fact)
      guard let check = seal.sealSuite(checkText, number: 0) else { return nil }
      return fact + check
    }

    init?(_ encryption: DiskEncryption, fact: UnsafeRawBufferPointer) {
      guard fact.count > Self.saltBytes else { return nil }
      self.init(encryption, salt: UnsafeRawBufferPointer(rebasing: fact[..<Self.saltBytes]))
      let check = UnsafeRawBufferPointer(rebasing: fact[Self.saltBytes...])
      guard openSuite(check, number: 0) == Self.checkText else { return nil }
    }

    private static var checkText: String { "Larder" }

    // MARK: Values

    static func binding(_ key: DiskKey) -> Data {
      var data = Data(capacity: 4 + key.bytes.count)
      append(UInt64(key.suite), to: &data)
      data.append(contentsOf: key.bytes)
      return data
    }

    func sealValue(_ value: UnsafeRawBufferPointer, _ key: DiskKey) -> Data? {
      Self.seal(value, values, Self.binding(key))
    }

    func openValue(
      _ sealed: UnsafeRawBufferPointer, bytes: Int, mark: UInt64, _ binding: Data
    ) -> Data? {
      guard sealed.count == bytes + Self.overhead, Self.mark(sealed) == mark else { return nil }
      return Self.open(sealed, values, binding)
    }

    static func mark(_ sealed: UnsafeRawBufferPointer) -> UInt64 {
      guard sealed.count >= overhead else { return 0 }
      return UInt64(
        littleEndian: sealed.loadUnaligned(fromByteOffset: sealed.count - 8, as: UInt64.self))
    }

    // MARK: Headers

    func sealHeader(_ header: DiskHeader, _ row: DiskRow) -> Data? {
      let bytes = header.encoded()
      return bytes.withUnsafeBytes { Self.seal($0, headers, Self.binding(row)) }
    }

    func openHeader(_ sealed: UnsafeRawBufferPointer, _ row: DiskRow) -> DiskHeader? {
      Self.open(sealed, headers, Self.binding(row)).flatMap { DiskHeader(decoding: $0) }
    }

    private static func binding(_ row: DiskRow) -> Data {
      var data = Data(capacity: 56)
      append(UInt64(row.suite), to: &data)
      append(UInt64(row.flags), to: &data)
      append(UInt64(row.bytes), to: &data)
      append(row.created, to: &data)
      append(row.expiry.microseconds, to: &data)
      append(row.checksum, to: &data)
      append(row.file, to: &data)
      return data
    }

    // MARK: Suites

    func sealSuite(_ name: String, number: UInt32) -> Data? {
      var binding = Data()
      Self.append(UInt64(number), to: &binding)
      var name = name
      return name.withUTF8 { Self.seal(UnsafeRawBufferPointer($0), suites, binding) }
    }

    func openSuite(_ sealed: UnsafeRawBufferPointer, number: UInt32) -> String? {
      var binding = Data()
      Self.append(UInt64(number), to: &binding)
      return Self.open(sealed, suites, binding).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Blocks of a snapshot

    func sealBlock(_ block: Data, _ generation: UInt64, _ number: UInt64) -> Data? {
      block.withUnsafeBytes { Self.seal($0, blocks, Self.binding(generation, number)) }
    }

    func openBlock(
      _ sealed: UnsafeRawBufferPointer, _ generation: UInt64, _ number: UInt64
    ) -> Data? {
      Self.open(sealed, blocks, Self.binding(generation, number))
    }

    private static func binding(_ generation: UInt64, _ number: UInt64) -> Data {
      var data = Data()
      append(generation, to: &data)
      append(number, to: &data)
      return data
    }

    // MARK: Tags

    /// Tag of a key in a shared cache: it reveals nothing about the key, except when it is stored
    /// again.
    func tag(_ binding: Data) -> Int64 {
      let code = HMAC<SHA256>.authenticationCode(for: binding, using: tags)
      return code.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(as: Int64.self)) }
    }

    // MARK: Bytes

    private static func append(_ number: UInt64, to data: inout Data) {
      withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
    }

    private static func seal(
      _ text: UnsafeRawBufferPointer, _ key: SymmetricKey, _ binding: Data
    ) -> Data? {
      // The nonce is random for each call.
      try? AES.GCM.seal(view(text), using: key, authenticating: binding).combined
    }

    private static func open(
      _ sealed: UnsafeRawBufferPointer, _ key: SymmetricKey, _ binding: Data
    ) -> Data? {
      guard let box = try? AES.GCM.SealedBox(combined: view(sealed)) else { return nil }
      return try? AES.GCM.open(box, using: key, authenticating: binding)
    }

    private static func view(_ bytes: UnsafeRawBufferPointer) -> Data {
      guard let base = bytes.baseAddress, !bytes.isEmpty else { return Data() }
      return Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: base), count: bytes.count,
        deallocator: .none)
    }
  }
#endif
