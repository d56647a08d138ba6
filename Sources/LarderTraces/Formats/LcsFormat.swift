import LarderEngine

/// libCacheSim's `lcs` files: a header that says what the records are, and the records.
///
/// Both headers in use are read: the one of 8192 bytes with a version from 1 to 8, and the older
/// one of 1024 bytes with a format string. The statistics in them are not needed.
struct LcsFormat: TraceFormat {
  let description = FormatDescription(
    name: "lcs",
    summary: "libCacheSim's binary records after a header, with operations and TTLs",
    layout: """
      Little-endian, packed. Header of 8192 bytes: u64 0x123456789abcdef0, u64 version, statistics,
      and the first number again at the end. Records, version 1, 24 bytes: u32 time in seconds, u64
      object, u32 size, i64 next access; version 2, 28 bytes: before the next access u8 operation,
      u24 tenant; version 3, 36 bytes: size i64, and u32 TTL in seconds after the tenant;
      versions 4 to 8: version 3 with 1, 2, 4, 8 or 16 u32 more. An older header of 1024 bytes has a
      format string of Python's struct and the numbers of the fields.
      Operations: get, gets, read, and none are gets; set, add, cas, replace, append, prepend, incr,
      decr, write and update are sets; delete is a delete.
      """,
    suffixes: [".lcs"], parameters: [.skipZeroSize])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.integer(at: 0, as: UInt64.self) == LcsLayout.magic { return .certain }
    return sample.isNamed(description.suffixes) ? .certain : .none
  }

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    Decoder(layout: try LcsLayout(sample))
  }

  private struct Decoder: FixedWidthDecoder {
    let layout: LcsLayout

    var columns: TraceColumns { layout.columns }
    var recordSize: Int { layout.recordSize }

    func begin(_ reader: ByteReader) throws(TraceError) {
      guard try reader.fill(atLeast: layout.headerSize) else {
        throw TraceError(
          "the header has \(reader.unreadCount) of \(layout.headerSize) bytes", in: reader.path,
          at: .byte(0), advice: "the file is truncated")
      }
      reader.consume(layout.headerSize)
    }

    func decode(
      _ bytes: UnsafeRawPointer, count: Int, into records: UnsafeMutablePointer<TraceRecord>
    ) -> Int {
      for index in 0..<count {
        guard let record = layout.record(at: bytes + index * layout.recordSize) else {
          return index
        }
        records[index] = record
      }
      return count
    }

    func damage(at bytes: UnsafeRawPointer, in path: String, offset: Int) -> TraceError {
      TraceError(layout.problem(at: bytes), in: path, at: .byte(offset))
    }
  }
}
