/// The header of a recording: 64 bytes, little-endian: magic (8), u32 version, length of the
/// header, u64 sampling threshold, start in microseconds since 1970, u32 origin, representation of
/// keys, 16 bytes of zeros, u64 checksum of the bytes before. Blocks follow: see `RecordedBlock`.
package struct RecordedHeader: Sendable, Hashable {
  package enum Origin: UInt32, Sendable {
    case memory
    case disk
    case hybrid
    case server
  }

  package enum Keys: UInt32, Sendable {
    case keyed
    /// Hashes, with blocks that map them to texts.
    case plain
  }

  /// Keys with a 32-bit hash below the threshold are recorded: from 1 to 2^32, which is all keys.
  package var threshold: UInt64
  package var began: UInt64
  package var origin: Origin
  package var keys: Keys

  /// The first bytes of a file. They are not text, and programs that convert line ends damage them.
  package static let magic: [UInt8] = [0x89] + Array("LARREC".utf8) + [0x0A]
  package static let version: UInt32 = 1
  package static let length = 64
  package static let wholeThreshold: UInt64 = 1 << 32

  package init(threshold: UInt64, began: UInt64, origin: Origin, keys: Keys) {
    self.threshold = threshold
    self.began = began
    self.origin = origin
    self.keys = keys
  }

  package static func threshold(rate: Double) -> UInt64? {
    guard rate > 0, rate <= 1 else { return nil }
    let threshold = UInt64((rate * Double(wholeThreshold)).rounded())
    return threshold > 0 ? threshold : nil
  }

  package var rate: Double { Double(threshold) / Double(Self.wholeThreshold) }

  package var encoded: [UInt8] {
    var bytes = Self.magic
    bytes.append(little: Self.version)
    bytes.append(little: UInt32(Self.length))
    bytes.append(little: threshold)
    bytes.append(little: began)
    bytes.append(little: origin.rawValue)
    bytes.append(little: keys.rawValue)
    bytes.append(little: UInt64(0))
    bytes.append(little: UInt64(0))
    bytes.append(little: bytes.withUnsafeBytes { RecordedChecksum.of($0) })
    return bytes
  }

  package enum Fault: Error, Sendable, Hashable {
    /// Too few bytes.
    case short
    /// The magic number is missing.
    case magic
    /// The version is not supported.
    case version(UInt32)
    case damaged
  }

  package init(decoding bytes: UnsafeRawBufferPointer) throws(Fault) {
    guard bytes.count >= Self.length else { throw .short }
    guard bytes.prefix(Self.magic.count).elementsEqual(Self.magic) else { throw .magic }
    let version = bytes.little(8, as: UInt32.self)
    guard version == Self.version else { throw .version(version) }
    let checked = UnsafeRawBufferPointer(rebasing: bytes[..<(Self.length - 8)])
    guard bytes.little(Self.length - 8, as: UInt64.self) == RecordedChecksum.of(checked),
      let origin = Origin(rawValue: bytes.little(32, as: UInt32.self)),
      let keys = Keys(rawValue: bytes.little(36, as: UInt32.self))
    else { throw .damaged }
    threshold = bytes.little(16, as: UInt64.self)
    began = bytes.little(24, as: UInt64.self)
    self.origin = origin
    self.keys = keys
    guard threshold > 0, threshold <= Self.wholeThreshold else { throw .damaged }
  }
}

/// Reads numbers from the start of bytes; nil if too few are left.
struct RecordedCursor {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func word() -> UInt64? {
    guard bytes.count - offset >= 8 else { return nil }
    defer { offset += 8 }
    return bytes.little(offset, as: UInt64.self)
  }

  mutating func float() -> Float? {
    guard bytes.count - offset >= 4 else { return nil }
    defer { offset += 4 }
    return Float(bitPattern: bytes.little(offset, as: UInt32.self))
  }

  mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = byte() {
      // The tenth byte has one significant bit.
      guard shift < 63 || byte <= 1 else { return nil }
      value |= UInt64(byte & 0x7F) &<< shift
      if byte & 0x80 == 0 { return value }
      shift += 7
    }
    return nil
  }

  mutating func bytes(_ count: UInt64) -> UnsafeRawBufferPointer? {
    guard count <= UInt64(bytes.count - offset) else { return nil }
    defer { offset += Int(count) }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)])
  }
}

extension Array where Element == UInt8 {
  mutating func append(little value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  mutating func append(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}

extension UnsafeRawBufferPointer {
  /// The number at `offset`, its lowest byte first; all of its bytes must be in bounds.
  func little<Value: FixedWidthInteger>(_ offset: Int, as type: Value.Type) -> Value {
    Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}
