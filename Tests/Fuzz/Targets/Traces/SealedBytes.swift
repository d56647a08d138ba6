import LarderEngine
import LarderTraces

/// Corrects the checksums of changed files, so that a fuzzer gets past their check.
enum SealedBytes {
  static func prepared(_ input: [UInt8]) -> [UInt8] {
    var bytes = input
    guard bytes.count >= LarderLayout.fixedLength else { return bytes }
    let isSample = number(bytes, 8, UInt32.self) == LarderLayout.versions.sample
    bytes.put(UInt64(bytes.count), at: 16)
    let directory =
      LarderLayout.fixedLength + (isSample ? LarderLayout.samplingLength : 0)
    for index in 0..<Int(min(16, number(bytes, 56, UInt32.self))) {
      let entry = directory + index * LarderLayout.entryLength
      guard entry + LarderLayout.entryLength <= bytes.count,
        let offset = Int(exactly: number(bytes, entry + 8, UInt64.self)),
        let length = Int(exactly: number(bytes, entry + 16, UInt64.self)),
        offset <= bytes.count, length <= bytes.count - offset
      else { break }
      let sum = bytes[offset..<offset + length].withUnsafeBytes { LarderChecksum.of($0) }
      bytes.put(sum, at: entry + 24)
    }
    let header = Int(number(bytes, 12, UInt32.self))
    bytes.put(UInt64(0), at: LarderLayout.checksumOffset)
    if header <= bytes.count {
      let sum = bytes[..<header].withUnsafeBytes { LarderChecksum.of($0) }
      bytes.put(sum, at: LarderLayout.checksumOffset)
    }
    return bytes
  }

  /// A recording with correct checksums of its header, blocks and block headers.
  static func recording(_ input: [UInt8]) -> [UInt8] {
    var bytes = input
    var at = RecordedHeader.length
    guard bytes.count >= at else { return bytes }
    let sum = bytes[..<(at - 8)].withUnsafeBytes { RecordedChecksum.of($0) }
    bytes.put(sum, at: at - 8)
    while at + RecordedBlock.headerLength <= bytes.count {
      let body = at + RecordedBlock.headerLength
      let length = Int(number(bytes, at + 8, UInt32.self))
      if length <= bytes.count - body {
        let sum = bytes[body..<body + length].withUnsafeBytes { RecordedChecksum.of($0) }
        bytes.put(sum, at: at + 40)
      }
      let sum = bytes[at..<at + 48].withUnsafeBytes { RecordedChecksum.of($0) }
      bytes.put(sum, at: at + 48)
      at = body + min(length, bytes.count)
    }
    return bytes
  }

  private static func number<Value: FixedWidthInteger>(
    _ bytes: [UInt8], _ offset: Int, _ type: Value.Type
  ) -> Value {
    bytes.withUnsafeBytes {
      Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type))
    }
  }
}

extension [UInt8] {
  /// Writes a little-endian number over the bytes at `offset`.
  fileprivate mutating func put(_ value: UInt64, at offset: Int) {
    Swift.withUnsafeBytes(of: value.littleEndian) {
      replaceSubrange(offset..<offset + 8, with: $0)
    }
  }
}
