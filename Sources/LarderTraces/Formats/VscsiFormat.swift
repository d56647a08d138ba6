/// VMware's vscsiStats traces, as the CloudPhysics collection has them.
struct VscsiFormat: TraceFormat {
  let description = FormatDescription(
    name: "vscsi",
    summary: "VMware vscsiStats binary records, versions 1 and 2",
    layout: """
      Little-endian. Version 1, 32 bytes: u32 number, u32 length in bytes, u32 segments, u16
      command, u16 version (high byte 1), u64 block, u64 time in microseconds. Version 2, 40 bytes:
      u16 command, u16 version (high byte 2), u32 number, u32 length, u32 segments, u64 block, u64
      time, u64 response time. A record is one get of the block, whose size is the length: reads
      and writes are both accesses, and a request is not split into blocks.
      """,
    suffixes: [".vscsi", ".vscsitrace", ".vscsi1", ".vscsi2"],
    parameters: [
      FormatParameter(
        name: "version", fallback: "", meaning: "1 or 2; recognised by content by default"),
      .skipZeroSize,
    ])

  /// Where things are in a record.
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

    /// Whether the first two records, as far as they are there, have this version's mark.
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

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    if let version = try options.choice("version", of: Version.self) {
      return Decoder(version: version)
    }
    let versions = Version.allCases.filter { $0.fits(sample.head) }
    guard let version = versions.first else {
      throw TraceError(
        sample.head.count < Version.one.recordSize
          ? "\(sample.head.count) bytes are too few for a vscsi record"
          : "the first records are neither vscsi version 1 nor 2",
        in: sample.path, at: .byte(0), advice: "is it another format, or truncated?")
    }
    return Decoder(version: version)
  }

  private struct Decoder: FixedWidthDecoder {
    let version: Version
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
