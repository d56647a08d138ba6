import LarderEngine

/// VMware's vscsiStats traces, as the CloudPhysics collection has them.
struct VscsiFormat: TraceFormat {
  let description = FormatDescription(
    name: "vscsi",
    summary: "VMware vscsiStats binary records, versions 1 and 2",
    layout: """
      Little-endian. Version 1, 32 bytes: u32 number, u32 length in bytes, u32 segments, u16
      command, u16 version (high byte 1), u64 block, u64 time in microseconds. Version 2, 40 bytes:
      u16 command, u16 version (high byte 2), u32 number, u32 length, u32 segments, u64 block, u64
      time, u64 response time. A record is one get of the block (a sector of 512 bytes), whose size
      is the length: reads and writes are both accesses. With block= it is one get for each block
      of that size that it touches.
      """,
    suffixes: [".vscsi", ".vscsitrace", ".vscsi1", ".vscsi2"],
    parameters: [
      Parameter("version", default: "", "1 or 2; recognised by content by default"),
      .block, .skipZeroSize,
    ])

  /// Layout of a record.
  enum Version: String, CaseIterable, Sendable {
    case one = "1"
    case two = "2"

    var recordSize: Int { self == .one ? 32 : 40 }
    /// Offset of the version's high byte.
    var mark: Int { self == .one ? 15 : 3 }
    var length: Int { self == .one ? 4 : 8 }
    var block: Int { 16 }
    var time: Int { 24 }
    var number: UInt8 { self == .one ? 1 : 2 }

    /// True if the first two records, as far as present, have this version's mark.
    func fits(_ head: [UInt8]) -> Bool {
      let records = min(head.count / recordSize, 2)
      return records > 0 && (0..<records).allSatisfy { head[$0 * recordSize + mark] == number }
    }
  }

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    if sample.isText { return .none }
    for version in Version.allCases where version.fits(sample.head) {
      let records = min(sample.head.count / version.recordSize, 100)
      let times = (0..<records).compactMap {
        sample.integer(at: $0 * version.recordSize + version.time, as: UInt64.self)
      }
      let marked = (0..<records).allSatisfy {
        sample.head[$0 * version.recordSize + version.mark] == version.number
      }
      if marked && zip(times, times.dropFirst()).allSatisfy({ $0 <= $1 }) { return .likely }
    }
    return .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    let block = try options.block()
    if let version = try options.choice("version", of: Version.self) {
      return decoder(of: version, block: block, sample)
    }
    let versions = Version.allCases.filter { $0.fits(sample.head) }
    guard let version = versions.first else {
      throw TraceError(
        sample.head.count < Version.one.recordSize
          ? "\(sample.head.count) bytes are too few for a vscsi record"
          : "the first records are neither vscsi version 1 nor 2",
        in: sample.path, at: .byte(0), advice: "is it another format, or truncated?")
    }
    return decoder(of: version, block: block, sample)
  }

  private func decoder(
    of version: Version, block: UInt32?, _ sample: FormatSample
  ) -> any TraceDecoder {
    let whole = Decoder(version: version, remarks: Self.remarks(version, sample))
    guard let block else { return whole }
    return SplitDecoder(whole: whole, block: block)
  }

  /// Note that requests are not split, if the first ones differ in length.
  private static func remarks(_ version: Version, _ sample: FormatSample) -> [String] {
    let lengths = (0..<(sample.head.count / version.recordSize)).compactMap {
      sample.integer(at: $0 * version.recordSize + version.length, as: UInt32.self)
    }
    return Set(lengths).count > 1 ? [BlockRun.note] : []
  }

  /// Splits the records of `whole` into blocks.
  private struct SplitDecoder: TraceDecoder {
    let whole: Decoder
    let block: UInt32
    var columns: TraceColumns { whole.columns }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      let size = whole.recordSize
      let record = UnsafeMutablePointer<TraceRecord>.allocate(capacity: 1)
      defer { record.deallocate() }
      while try reader.fill(atLeast: size) {
        guard whole.decode(reader.unread, count: 1, into: record) == 1 else {
          throw whole.damage(at: reader.unread, in: reader.path, offset: reader.offset)
        }
        let (offset, overflows) = record.pointee.key.multipliedReportingOverflow(by: 512)
        guard !overflows,
          let run = BlockRun.of(
            offset: offset, length: UInt64(record.pointee.size), block: UInt64(block))
        else {
          throw TraceError(
            "invalid request of \(record.pointee.size) bytes at block \(record.pointee.key)",
            in: reader.path, at: .byte(reader.offset))
        }
        reader.consume(size)
        for step in 0..<run.count {
          let next = TraceRecord(key: run.first + step, time: record.pointee.time, size: block)
          guard try batch.append(next) else { return }
        }
      }
      if let error = whole.leftOver(reader.unreadCount, in: reader.path, offset: reader.offset) {
        throw error
      }
      _ = try batch.flush()
    }
  }

  private struct Decoder: FixedWidthDecoder {
    let version: Version
    let remarks: [String]
    var understanding: [String] { remarks }
    var columns: TraceColumns { [.size, .time] }
    var recordSize: Int { version.recordSize }

    func decode(
      _ bytes: UnsafeRawPointer, count: Int, into records: UnsafeMutablePointer<TraceRecord>
    ) -> Int {
      let (size, mark, length) = (version.recordSize, version.mark, version.length)
      let (block, time, number) = (version.block, version.time, version.number)
      var record = bytes
      for i in 0..<count {
        guard record.load(fromByteOffset: mark, as: UInt8.self) == number else { return i }
        let bytes = record.loadUnaligned(fromByteOffset: length, as: UInt32.self)
        let key = record.loadUnaligned(fromByteOffset: block, as: UInt64.self)
        let at = record.loadUnaligned(fromByteOffset: time, as: UInt64.self)
        records[i] = TraceRecord(
          key: UInt64(littleEndian: key), time: UInt64(littleEndian: at),
          size: UInt32(littleEndian: bytes))
        record += size
      }
      return count
    }

    func damage(at bytes: UnsafeRawPointer, in path: String, offset: Int) -> TraceError {
      TraceError(
        "the record is not of vscsi version \(version.number)", in: path, at: .byte(offset),
        advice: "the file is damaged, or not vscsi")
    }
  }
}
