import LarderEngine

/// Columns of a prepared trace, with their numbers in the directory of its file.
enum LarderColumn: UInt32, CaseIterable, Sendable {
  case ids = 1
  case sizes, times, operations, ttls, costs, prompts

  var elementSize: Int { self == .times ? 8 : self == .operations ? 1 : 4 }

  /// The column as one of a source; empty for the ids, which all have.
  var trace: TraceColumns { self == .ids ? [] : TraceColumns(rawValue: 1 << UInt8(rawValue - 2)) }
}

package struct LarderLayout {
  var fileLength = 0
  var count = 0
  var objects = 0
  var footprintBytes: UInt64 = 0
  var timesRaised = 0
  var name = ""
  var columns: [Entry] = []
  var sampling = TraceSampling()

  struct Entry: Equatable {
    var column: LarderColumn
    var offset: Int
    var length: Int
    var checksum: UInt64
  }

  /// First bytes of a file. Not text, and damaged by programs that convert line ends.
  static let magic: [UInt8] = [0x89] + Array("LARDER".utf8) + [0x0A]
  package static let versions: (whole: UInt32, sample: UInt32) = (1, 2)
  package static let fixedLength = 72
  package static let samplingLength = 16
  package static let entryLength = 32
  static let alignment = 64
  package static let checksumOffset = 64

  var directoryOffset: Int {
    LarderLayout.fixedLength + (sampling.isPart ? LarderLayout.samplingLength : 0)
  }

  var headerLength: Int {
    directoryOffset + columns.count * LarderLayout.entryLength + name.utf8.count
  }

  static func aligned(_ offset: Int) -> Int { (offset + alignment - 1) / alignment * alignment }

  func encoded() -> [UInt8] {
    var bytes = LarderLayout.magic
    func append<Value: FixedWidthInteger>(_ value: Value) {
      withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
    append(sampling.isPart ? LarderLayout.versions.sample : LarderLayout.versions.whole)
    append(UInt32(headerLength))
    append(UInt64(fileLength))
    append(UInt64(count))
    append(UInt64(objects))
    append(footprintBytes)
    append(UInt64(timesRaised))
    append(UInt32(columns.count))
    append(UInt32(name.utf8.count))
    append(UInt64(0))
    if sampling.isPart {
      append(sampling.rate.bitPattern)
      append(sampling.gets)
    }
    for entry in columns {
      append(entry.column.rawValue)
      append(UInt32(entry.column.elementSize))
      append(UInt64(entry.offset))
      append(UInt64(entry.length))
      append(entry.checksum)
    }
    bytes += name.utf8
    let checksum = bytes.withUnsafeBytes { LarderChecksum.of($0) }
    withUnsafeBytes(of: checksum.littleEndian) { value in
      bytes.replaceSubrange(
        LarderLayout.checksumOffset..<LarderLayout.checksumOffset + 8, with: value)
    }
    return bytes
  }
}

/// 64-bit checksum of prepared trace files: detects damage, not forgery. Four lanes of eight bytes
/// run at the speed of memory.
package struct LarderChecksum {
  private var lanes: SIMD4<UInt64> = [
    0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x27D4_EB2F_1656_67C5,
  ]
  private var length: UInt64 = 0
  private static let factor: UInt64 = 0x9FB2_1C65_1E98_DF25

  /// All parts except the last must be a multiple of this many bytes.
  static let block = 32

  init() {}

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    assert(length % UInt64(LarderChecksum.block) == 0, "only the last part may be odd")
    length &+= UInt64(bytes.count)
    var (a, b, c, d) = (lanes[0], lanes[1], lanes[2], lanes[3])
    var offset = 0
    while offset + LarderChecksum.block <= bytes.count {
      a = LarderChecksum.mix(a, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      b = LarderChecksum.mix(b, bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
      c = LarderChecksum.mix(c, bytes.loadUnaligned(fromByteOffset: offset + 16, as: UInt64.self))
      d = LarderChecksum.mix(d, bytes.loadUnaligned(fromByteOffset: offset + 24, as: UInt64.self))
      offset += LarderChecksum.block
    }
    while offset < bytes.count {
      a = LarderChecksum.mix(a, UInt64(bytes[offset]))
      offset += 1
    }
    lanes = [a, b, c, d]
  }

  var value: UInt64 {
    var result = length
    for lane in 0..<4 { result = LarderChecksum.mix(result, lanes[lane]) }
    return result ^ (result >> 32)
  }

  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var checksum = LarderChecksum()
    checksum.add(bytes)
    return checksum.value
  }

  @inline(__always) private static func mix(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    let mixed = (lane ^ UInt64(littleEndian: word)) &* factor
    return mixed &<< 31 | mixed &>> 33
  }
}

extension LarderLayout {
  /// Layout of a trace's file.
  init(
    of trace: PreparedTrace, _ content: [(column: LarderColumn, bytes: UnsafeRawBufferPointer)]
  ) {
    (name, count, objects) = (trace.name, trace.requests.count, trace.requests.objects)
    (footprintBytes, timesRaised) = (trace.footprint.all, trace.timesRaised)
    sampling = trace.sampling
    columns = content.map { column, bytes in
      Entry(column: column, offset: 0, length: bytes.count, checksum: LarderChecksum.of(bytes))
    }
    fileLength = headerLength
    for index in columns.indices {
      columns[index].offset = LarderLayout.aligned(fileLength)
      fileLength = columns[index].offset + columns[index].length
    }
  }

  /// Validates a header, so that its offsets stay inside the file, but not the columns.
  init(decoding bytes: UnsafeRawBufferPointer, fileLength length: Int?, path: String)
    throws(TraceError)
  {
    func wrong(_ message: String, _ offset: Int) -> TraceError {
      TraceError(
        message, in: path, at: .byte(offset), advice: "convert the original trace again")
    }
    guard bytes.count >= LarderLayout.fixedLength else {
      throw wrong("\(bytes.count) bytes are too few for a prepared trace", bytes.count)
    }
    guard bytes.prefix(LarderLayout.magic.count).elementsEqual(LarderLayout.magic) else {
      throw wrong("the file does not start with the magic number of a prepared trace", 0)
    }
    let version = bytes.u32(8)
    guard version == Self.versions.whole || version == Self.versions.sample else {
      throw wrong("version \(version) of prepared traces, but this larder reads 1 and 2", 8)
    }
    if version == Self.versions.sample {
      guard let sampling = Self.sampling(in: bytes) else {
        throw wrong("the share of the objects is out of range", Self.fixedLength)
      }
      self.sampling = sampling
    }
    let directory = directoryOffset
    let (columnCount, nameLength) = (Int(bytes.u32(56)), Int(bytes.u32(60)))
    let names = directory + columnCount * LarderLayout.entryLength
    let headerLength = Int(bytes.u32(12))
    guard columnCount <= LarderColumn.allCases.count, headerLength == names + nameLength else {
      throw wrong("a header of \(headerLength) bytes does not fit \(columnCount) columns", 12)
    }
    guard headerLength <= bytes.count else {
      throw wrong("the file ends in the header", bytes.count)
    }
    let header = UnsafeRawBufferPointer(rebasing: bytes[..<headerLength])
    guard LarderLayout.checksum(ofHeader: header) == bytes.u64(LarderLayout.checksumOffset) else {
      throw wrong("the header's checksum is wrong", LarderLayout.checksumOffset)
    }
    guard let fileLength = Int(exactly: bytes.u64(16)), length == nil || length == fileLength else {
      throw wrong("expected \(bytes.u64(16)) bytes, the file has \(length ?? 0)", 16)
    }
    self.fileLength = fileLength
    // Beyond 2^56 the lengths of columns would not fit either.
    guard let count = Int(exactly: bytes.u64(24)), count <= 1 << 56 else {
      throw wrong("\(bytes.u64(24)) requests are out of range", 24)
    }
    self.count = count
    guard bytes.u64(32) <= UInt64(min(count, ObjectID.maximumCount)) else {
      throw wrong("\(bytes.u64(32)) objects in \(count) requests are impossible", 32)
    }
    objects = Int(bytes.u64(32))
    footprintBytes = bytes.u64(40)
    timesRaised = Int(clamping: bytes.u64(48))
    name = String(decoding: header[names...], as: UTF8.self)
    for index in 0..<columnCount {
      let at = directory + index * LarderLayout.entryLength
      let end = columns.last.map { $0.offset + $0.length } ?? headerLength
      guard let entry = entry(in: header, at: at, after: end) else {
        throw wrong("entry \(index + 1) of the directory is not a valid column", at)
      }
      columns.append(entry)
    }
    guard columns.contains(where: { $0.column == .ids }) else {
      throw wrong("no id column", LarderLayout.fixedLength)
    }
  }

  private static func sampling(in bytes: UnsafeRawBufferPointer) -> TraceSampling? {
    guard bytes.count >= fixedLength + samplingLength else { return nil }
    let rate = Double(bitPattern: bytes.u64(fixedLength))
    guard rate > 0, rate < 1 else { return nil }
    return TraceSampling(rate: rate, gets: bytes.u64(fixedLength + 8))
  }

  private func entry(in header: UnsafeRawBufferPointer, at: Int, after end: Int) -> Entry? {
    guard let column = LarderColumn(rawValue: header.u32(at)),
      !columns.contains(where: { $0.column == column }),
      Int(header.u32(at + 4)) == column.elementSize,
      let offset = Int(exactly: header.u64(at + 8)), offset == LarderLayout.aligned(end),
      let length = Int(exactly: header.u64(at + 16)), length == count * column.elementSize,
      length <= fileLength, offset <= fileLength - length
    else { return nil }
    return Entry(column: column, offset: offset, length: length, checksum: header.u64(at + 24))
  }

  private static func checksum(ofHeader header: UnsafeRawBufferPointer) -> UInt64 {
    var copy = Array(header)
    for index in checksumOffset..<checksumOffset + 8 { copy[index] = 0 }
    return copy.withUnsafeBytes { LarderChecksum.of($0) }
  }
}

extension UnsafeRawBufferPointer {
  fileprivate func u32(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  fileprivate func u64(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
