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
  private let values: SealKey
  private let headers: SealKey
  private let suites: SealKey
  private let tags: SealKey
  private let blocks: SealKey

  init(_ encryption: DiskEncryption, salt: Data) {
    values = SealKey(encryption, salt, purpose: "values")
    headers = SealKey(encryption, salt, purpose: "headers")
    suites = SealKey(encryption, salt, purpose: "suites")
    tags = SealKey(encryption, salt, purpose: "tags")
    blocks = SealKey(encryption, salt, purpose: "blocks")
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
    self.init(encryption, salt: Data(fact[..<Self.saltBytes]))
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
    values.seal(value, Self.binding(key))
  }

  func openValue(
    _ sealed: UnsafeRawBufferPointer, bytes: Int, mark: UInt64, _ binding: Data
  ) -> Data? {
    guard sealed.count == bytes + Self.overhead, Self.mark(sealed) == mark else { return nil }
    return values.open(sealed, binding)
  }

  static func mark(_ sealed: UnsafeRawBufferPointer) -> UInt64 {
    guard sealed.count >= overhead else { return 0 }
    return UInt64(
      littleEndian: sealed.loadUnaligned(fromByteOffset: sealed.count - 8, as: UInt64.self))
  }

  // MARK: Headers

  func sealHeader(_ header: DiskHeader, _ row: DiskRow) -> Data? {
    let bytes = header.encoded()
    return bytes.withUnsafeBytes { headers.seal($0, Self.binding(row)) }
  }

  func openHeader(_ sealed: UnsafeRawBufferPointer, _ row: DiskRow) -> DiskHeader? {
    headers.open(sealed, Self.binding(row)).flatMap { DiskHeader(decoding: $0) }
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
    return name.withUTF8 { suites.seal(UnsafeRawBufferPointer($0), binding) }
  }

  func openSuite(_ sealed: UnsafeRawBufferPointer, number: UInt32) -> String? {
    var binding = Data()
    Self.append(UInt64(number), to: &binding)
    return suites.open(sealed, binding).map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: Blocks of a snapshot

  func sealBlock(_ block: Data, _ generation: UInt64, _ number: UInt64) -> Data? {
    block.withUnsafeBytes { blocks.seal($0, Self.binding(generation, number)) }
  }

  func openBlock(
    _ sealed: UnsafeRawBufferPointer, _ generation: UInt64, _ number: UInt64
  ) -> Data? {
    blocks.open(sealed, Self.binding(generation, number))
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
  func tag(_ binding: Data) -> Int64 { tags.tag(binding) }

  private static func append(_ number: UInt64, to data: inout Data) {
    withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
  }
}
