import LarderEngine

/// The binary traces of the cache2k benchmarks, which have only keys.
struct Cache2kFormat: TraceFormat {
  let description = FormatDescription(
    name: "cache2k",
    summary: "binary keys of the cache2k benchmarks",
    layout: """
      4 bytes per get, big-endian: u32 object. No sizes, no times. Recognised by the suffix `.trace`
      and content that is not text.
      """,
    suffixes: [".trace", ".cache2k"])

  private static let recordSize = 4

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    sample.isNamed(description.suffixes) && !sample.isText ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) -> any TraceDecoder { Decoder() }

  private struct Decoder: FixedWidthDecoder {
    var columns: TraceColumns { [] }
    var recordSize: Int { Cache2kFormat.recordSize }

    func decode(
      _ bytes: UnsafeRawPointer, count: Int, into records: UnsafeMutablePointer<TraceRecord>
    ) -> Int {
      for i in 0..<count {
        let key = bytes.loadUnaligned(
          fromByteOffset: i * Cache2kFormat.recordSize, as: UInt32.self)
        records[i] = TraceRecord(key: UInt64(UInt32(bigEndian: key)))
      }
      return count
    }
  }
}
