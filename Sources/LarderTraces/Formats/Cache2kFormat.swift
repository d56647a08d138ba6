/// The binary traces of the cache2k benchmarks: keys and nothing else.
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

  func decoder(options: FormatOptions, sample: FormatSample) -> any TraceDecoder { Decoder() }

  private struct Decoder: TraceDecoder {
    var columns: TraceColumns { [] }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      let size = Cache2kFormat.recordSize
      while try reader.fill(atLeast: size) {
        let count = min(reader.unreadCount / size, RecordBatch.capacity)
        let (bytes, records) = (reader.unread, batch.records)
        for i in 0..<count {
          let key = bytes.loadUnaligned(fromByteOffset: i * size, as: UInt32.self)
          records[i] = TraceRecord(key: UInt64(UInt32(bigEndian: key)))
        }
        reader.consume(count * size)
        batch.count = count
        guard try batch.flush() else { return }
      }
      try reader.expectEnd(afterRecordsOf: size)
    }
  }
}
