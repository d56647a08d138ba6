/// Takes numbers from the beginning of bytes, and nil where they do not have them.
struct RecordedCursor {
  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Whether all bytes were taken.
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
      // The tenth byte has room for one bit.
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
