import LarderEngine

/// libCacheSim's binary records, as its trace collection publishes them.
///
/// The time of the next request in each record is ignored: it is derived again when a policy needs
/// it, so truncated and filtered traces are correct too.
struct OracleGeneralFormat: TraceFormat {
  /// Bytes of a record.
  static let recordSize = 24

  let description = FormatDescription(
    name: "oracle-general",
    summary: "libCacheSim's binary records with time, object, size and next access",
    layout: """
      24 bytes per request, little-endian, packed: u32 time in seconds, u64 object, u32 size in
      bytes, i64 number, from 1, of the next request of the object (-1 or 2^63-1: never; not used
      here). Every record is a get.
      """,
    suffixes: [".oraclegeneral", ".oraclegeneral.bin", ".oracle-general"],
    parameters: [.skipZeroSize])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    return OracleGeneralFormat.contentFits(sample) ? .likely : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) -> any TraceDecoder { Decoder() }

  /// True if the first records have non-decreasing times and next accesses in the future.
  private static func contentFits(_ sample: FormatSample) -> Bool {
    let records = min(sample.head.count / recordSize, 100)
    if sample.isText || records == 0 { return false }
    if sample.isWhole && sample.head.count % recordSize != 0 { return false }
    var lastTime: UInt32 = 0
    for index in 0..<records {
      let start = index * recordSize
      guard let time = sample.integer(at: start, as: UInt32.self),
        let next = sample.integer(at: start + 16, as: Int64.self)
      else { return false }
      let isNever = next == -1 || next == .max
      if time < lastTime || !(isNever || (next > 0 && next < 1 << 40)) { return false }
      lastTime = time
    }
    return true
  }

  private struct Decoder: FixedWidthDecoder {
    var columns: TraceColumns { [.size, .time] }
    var recordSize: Int { OracleGeneralFormat.recordSize }

    func decode(
      _ bytes: UnsafeRawPointer, count: Int, into records: UnsafeMutablePointer<TraceRecord>
    ) -> Int {
      var record = bytes
      for index in 0..<count {
        let time = UInt32(littleEndian: record.loadUnaligned(as: UInt32.self))
        let key = UInt64(littleEndian: record.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
        let size = UInt32(littleEndian: record.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        records[index] = TraceRecord(key: key, time: UInt64(time) &* 1_000_000, size: size)
        record += OracleGeneralFormat.recordSize
      }
      return count
    }
  }
}
