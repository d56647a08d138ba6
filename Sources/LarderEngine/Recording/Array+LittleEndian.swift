extension Array where Element == UInt8 {
  /// Adds the bytes of a number, the lowest first.
  mutating func append(little value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// Adds a number in as many bytes as it needs: seven bits in each, the lowest first, and the
  /// eighth set in all but the last.
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
  /// The number whose bytes begin at `offset`, the lowest first; all of them are inside.
  func little<Value: FixedWidthInteger>(_ offset: Int, as type: Value.Type) -> Value {
    Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}
