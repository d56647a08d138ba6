import LarderEngine

/// libCacheSim's `lcs` files: a header that describes the records, followed by the records.
///
/// Both headers in use are supported: that of 8192 bytes with a version from 1 to 8, and the older
/// one of 1024 bytes with a format string. Their statistics are not used.
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

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
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

/// Offsets and types of the fields in the records of an `lcs` file, from its header.
struct LcsLayout: Sendable {
  struct Field: Sendable {
    /// Offset from the beginning of the record.
    var offset: Int
    /// Type as a letter of Python's struct.
    var type: UInt8
  }

  /// First and last bytes of both headers.
  static let magic: UInt64 = 0x1234_5678_9abc_def0

  let headerSize: Int
  let recordSize: Int
  private let id: Field
  private var size: Field?
  private var time: Field?
  private var operation: Field?
  private var ttl: Field?

  /// Reads the layout from a file's header.
  init(_ sample: FormatSample) throws(TraceError) {
    guard sample.integer(at: 0, as: UInt64.self) == Self.magic else {
      throw TraceError(
        "the file does not start with the magic number of lcs", in: sample.path, at: .byte(0),
        advice: "is it another format, or truncated?")
    }
    let isOlder = sample.head.count > 8 && sample.head[8] == UInt8(ascii: "<")
    headerSize = isOlder ? 1024 : 8192
    guard sample.integer(at: headerSize - 8, as: UInt64.self) == Self.magic else {
      throw TraceError(
        "the header of \(headerSize) bytes does not end with the magic number of lcs",
        in: sample.path, at: .byte(headerSize - 8), advice: "the file is damaged or truncated")
    }
    if isOlder {
      let (fields, size) = try Self.fields(sample)
      // In the header the object's id comes first, and fields are numbered from 1.
      func field(_ place: Int) throws(TraceError) -> Field? {
        let number = Int(sample.head[248 + place])
        guard number > 0 else { return nil }
        guard number <= fields.count else {
          throw TraceError(
            "field \(number) of \(fields.count) does not exist", in: sample.path,
            at: .byte(248 + place))
        }
        return fields[number - 1]
      }
      guard let id = try field(0) else {
        throw TraceError("no field is the object's id", in: sample.path, at: .byte(248))
      }
      self.id = id
      recordSize = size
      self.size = try field(1)
      time = try field(2)
      operation = try field(5)
      ttl = try field(6)
      return
    }
    let version = sample.integer(at: 8, as: UInt64.self) ?? 0
    guard (1...8).contains(version) else {
      throw TraceError(
        "unknown lcs version \(version); expected 1 to 8", in: sample.path, at: .byte(8))
    }
    time = Field(offset: 0, type: UInt8(ascii: "I"))
    id = Field(offset: 4, type: UInt8(ascii: "Q"))
    size = Field(offset: 12, type: UInt8(ascii: version < 3 ? "I" : "q"))
    if version == 2 { operation = Field(offset: 16, type: UInt8(ascii: "B")) }
    if version >= 3 {
      operation = Field(offset: 20, type: UInt8(ascii: "B"))
      ttl = Field(offset: 24, type: UInt8(ascii: "I"))
    }
    recordSize = [24, 28, 36, 40, 44, 52, 68, 100][Int(version) - 1]
  }

  /// Fields of an older header's format string, and the size of a record.
  private static func fields(
    _ sample: FormatSample
  ) throws(TraceError) -> (fields: [Field], size: Int) {
    var fields: [Field] = []
    var offset = 0
    for letter in sample.head[9..<248] {
      if letter == 0 { break }
      guard let size = size(ofType: letter) else {
        throw TraceError(
          "'\(Character(UnicodeScalar(letter)))' is not a field type", in: sample.path,
          at: .byte(9 + fields.count), advice: "expected letters of bBhHiIlLqQfd")
      }
      fields.append(Field(offset: offset, type: letter))
      offset += size
    }
    let count = sample.integer(at: 1000, as: UInt32.self).map(Int.init)
    let itemSize = sample.integer(at: 1004, as: UInt32.self).map(Int.init)
    guard count == fields.count, itemSize == offset, offset > 0 else {
      throw TraceError(
        "the header has \(count ?? 0) fields in \(itemSize ?? 0) bytes, its format string "
          + "\(fields.count) in \(offset)", in: sample.path, at: .byte(1000))
    }
    return (fields, offset)
  }

  private static func size(ofType letter: UInt8) -> Int? {
    switch letter {
    case UInt8(ascii: "b"), UInt8(ascii: "B"), UInt8(ascii: "c"): 1
    case UInt8(ascii: "h"), UInt8(ascii: "H"): 2
    case UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "l"), UInt8(ascii: "L"),
      UInt8(ascii: "f"):
      4
    case UInt8(ascii: "q"), UInt8(ascii: "Q"), UInt8(ascii: "d"): 8
    default: nil
    }
  }

  /// Columns that records fill in addition to the key.
  var columns: TraceColumns {
    var columns: TraceColumns = []
    if size != nil { columns.insert(.size) }
    if time != nil { columns.insert(.time) }
    if operation != nil { columns.insert(.operation) }
    if ttl != nil { columns.insert(.ttl) }
    return columns
  }

  /// Record at an address; nil if it is invalid.
  @inline(__always) func record(at bytes: UnsafeRawPointer) -> TraceRecord? {
    var record = TraceRecord(key: UInt64(bitPattern: value(id, bytes)))
    if let size {
      guard let bytes = UInt32(exactly: value(size, bytes)) else { return nil }
      record.size = bytes
    }
    if let time {
      let seconds = value(time, bytes)
      guard seconds >= 0, seconds < 1 << 43 else { return nil }
      record.time = UInt64(seconds) * 1_000_000
    }
    if let ttl { record.ttl = UInt32(clamping: value(ttl, bytes)) }
    if let operation {
      guard let known = Self.operation(value(operation, bytes)) else { return nil }
      record.operation = known.rawValue
    }
    return record
  }

  /// Description of an invalid record's error.
  func problem(at bytes: UnsafeRawPointer) -> String {
    if let size, UInt32(exactly: value(size, bytes)) == nil {
      return "a size of \(value(size, bytes)) bytes; a request has from 0 to \(UInt32.max)"
    }
    if let operation, Self.operation(value(operation, bytes)) == nil {
      return "unknown operation \(value(operation, bytes)); expected 0 to 14, or 255 for none"
    }
    return "a time of \(time.map { value($0, bytes) } ?? 0) seconds is out of range"
  }

  /// Operation of libCacheSim's number.
  private static func operation(_ number: Int64) -> Operation? {
    switch number {
    case 0, 1, 2, 12, 255: .get
    case 3...8, 10, 11, 13, 14: .set
    case 9: .delete
    default: nil
    }
  }

  /// Value of a field as a whole number.
  @inline(__always) private func value(_ field: Field, _ record: UnsafeRawPointer) -> Int64 {
    let place = record + field.offset
    switch field.type {
    case UInt8(ascii: "b"): return Int64(place.loadUnaligned(as: Int8.self))
    case UInt8(ascii: "B"), UInt8(ascii: "c"): return Int64(place.loadUnaligned(as: UInt8.self))
    case UInt8(ascii: "h"): return Int64(Int16(littleEndian: place.loadUnaligned(as: Int16.self)))
    case UInt8(ascii: "H"):
      return Int64(UInt16(littleEndian: place.loadUnaligned(as: UInt16.self)))
    case UInt8(ascii: "i"), UInt8(ascii: "l"):
      return Int64(Int32(littleEndian: place.loadUnaligned(as: Int32.self)))
    case UInt8(ascii: "I"), UInt8(ascii: "L"):
      return Int64(UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)))
    case UInt8(ascii: "f"):
      let bits = UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
      return Int64(exactly: Float(bitPattern: bits).rounded(.towardZero)) ?? -1
    case UInt8(ascii: "d"):
      let bits = UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
      return Int64(exactly: Double(bitPattern: bits).rounded(.towardZero)) ?? -1
    default: return Int64(littleEndian: place.loadUnaligned(as: Int64.self))
    }
  }
}
