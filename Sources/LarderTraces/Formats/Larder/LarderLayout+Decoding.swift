import LarderEngine

extension LarderLayout {
  /// Reads a header and checks that all it says can be, so that whoever follows its offsets stays
  /// inside the file. The columns' content is not looked at.
  ///
  /// - Parameters:
  ///   - bytes: the file's beginning, at least the header.
  ///   - fileLength: the length of the whole file, nil where it is not known.
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
      guard let entry = entry(in: header, at: at) else {
        throw wrong("entry \(index + 1) of the directory is not a valid column", at)
      }
      columns.append(entry)
    }
    guard columns.contains(where: { $0.column == .ids }) else {
      throw wrong("no id column", LarderLayout.fixedLength)
    }
    guard columnsAreApart(from: headerLength) else {
      throw wrong("columns overlap or are outside the file", LarderLayout.fixedLength)
    }
  }

  /// Which part of the objects a sample has; nil where that cannot be.
  private static func sampling(in bytes: UnsafeRawBufferPointer) -> TraceSampling? {
    guard bytes.count >= fixedLength + samplingLength else { return nil }
    let rate = Double(bitPattern: bytes.u64(fixedLength))
    guard rate > 0, rate < 1 else { return nil }
    return TraceSampling(rate: rate, gets: bytes.u64(fixedLength + 8))
  }

  /// An entry of the directory; nil when it is not one that a column can have.
  private func entry(in header: UnsafeRawBufferPointer, at: Int) -> Entry? {
    guard let column = LarderColumn(rawValue: header.u32(at)),
      !columns.contains(where: { $0.column == column }),
      Int(header.u32(at + 4)) == column.elementSize,
      let offset = Int(exactly: header.u64(at + 8)), offset % LarderLayout.alignment == 0,
      let length = Int(exactly: header.u64(at + 16)), length == count * column.elementSize
    else { return nil }
    return Entry(column: column, offset: offset, length: length, checksum: header.u64(at + 24))
  }

  private func columnsAreApart(from headerLength: Int) -> Bool {
    var end = headerLength
    for entry in columns.sorted(by: { ($0.offset, $0.length) < ($1.offset, $1.length) }) {
      guard entry.offset >= end, entry.length <= fileLength,
        entry.offset <= fileLength - entry.length
      else { return false }
      end = entry.offset + entry.length
    }
    return true
  }

  /// The checksum of a header as if its own field were 0.
  private static func checksum(ofHeader header: UnsafeRawBufferPointer) -> UInt64 {
    var copy = Array(header)
    for index in checksumOffset..<checksumOffset + 8 { copy[index] = 0 }
    return copy.withUnsafeBytes { LarderChecksum.of($0) }
  }
}

extension UnsafeRawBufferPointer {
  /// The little-endian number at `offset`, which must be inside.
  fileprivate func u32(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// The little-endian number at `offset`, which must be inside.
  fileprivate func u64(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
