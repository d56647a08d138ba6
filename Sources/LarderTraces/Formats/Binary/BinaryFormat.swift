import LarderEngine

struct BinaryFormat: TraceFormat {
  let description: FormatDescription
  let layout: @Sendable (FormatSample, ParameterReader) throws -> BinaryLayout
  let content: @Sendable (FormatSample) -> FormatConfidence

  static let all = [oracleGeneral, vscsi, lcs]

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    sample.isNamed(description.suffixes) ? .certain : content(sample)
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    BinaryDecoder(layout: try layout(sample, options))
  }
}

struct BinaryLayout: Sendable {
  struct Field: Sendable {
    let offset: Int
    let type: UInt8

    init(_ offset: Int, _ type: Unicode.Scalar) {
      (self.offset, self.type) = (offset, UInt8(ascii: type))
    }

    static func size(_ letter: UInt8) -> Int? {
      switch Character(UnicodeScalar(letter)) {
      case "b", "B", "c": 1
      case "h", "H": 2
      case "i", "I", "l", "L", "f": 4
      case "q", "Q", "d": 8
      default: nil
      }
    }

    @inline(__always) func value(_ record: UnsafeRawPointer) -> Int64 {
      let place = record + offset
      func load<Value: FixedWidthInteger>(_ type: Value.Type) -> Int64 {
        Int64(truncatingIfNeeded: Value(littleEndian: place.loadUnaligned(as: type)))
      }
      switch type {
      case UInt8(ascii: "I"), UInt8(ascii: "L"): return load(UInt32.self)
      case UInt8(ascii: "q"), UInt8(ascii: "Q"): return load(Int64.self)
      case UInt8(ascii: "b"): return load(Int8.self)
      case UInt8(ascii: "B"), UInt8(ascii: "c"): return load(UInt8.self)
      case UInt8(ascii: "h"): return load(Int16.self)
      case UInt8(ascii: "H"): return load(UInt16.self)
      case UInt8(ascii: "i"), UInt8(ascii: "l"): return load(Int32.self)
      case UInt8(ascii: "f"):
        let bits = UInt32(truncatingIfNeeded: load(UInt32.self))
        return Int64(exactly: Float(bitPattern: bits).rounded(.towardZero)) ?? -1
      default:
        let bits = UInt64(bitPattern: load(Int64.self))
        return Int64(exactly: Double(bitPattern: bits).rounded(.towardZero)) ?? -1
      }
    }
  }

  var headerSize = 0
  var recordSize: Int
  let id: Field
  var size: Field?
  var time: Field?
  /// Microseconds per unit of a time.
  var timeUnit: UInt64 = 1_000_000
  var operation: Field?
  var ttl: Field?
  /// Offset and value of a byte that all records have, and the error for others.
  var mark: (offset: Int, value: UInt8, problem: String)?
  /// Block size into which requests at sectors are split; nil to keep them whole.
  var block: UInt32?
  var remarks: [String] = []

  @inline(__always) func record(at bytes: UnsafeRawPointer) -> TraceRecord? {
    if let mark, bytes.load(fromByteOffset: mark.offset, as: UInt8.self) != mark.value {
      return nil
    }
    var record = TraceRecord(key: UInt64(bitPattern: id.value(bytes)))
    if let size {
      guard let bytes = UInt32(exactly: size.value(bytes)) else { return nil }
      record.size = bytes
    }
    if let time {
      let units = UInt64(bitPattern: time.value(bytes))
      guard timeUnit == 1 || units < 1 << 43 else { return nil }
      record.time = units * timeUnit
    }
    if let ttl { record.ttl = UInt32(clamping: ttl.value(bytes)) }
    if let operation {
      guard let known = Self.operation(operation.value(bytes)) else { return nil }
      record.operation = known.rawValue
    }
    return record
  }

  fileprivate func problem(at bytes: UnsafeRawPointer) -> String {
    if let mark, bytes.load(fromByteOffset: mark.offset, as: UInt8.self) != mark.value {
      return mark.problem
    }
    if let size, UInt32(exactly: size.value(bytes)) == nil {
      return "a size of \(size.value(bytes)) bytes; a request has from 0 to \(UInt32.max)"
    }
    if let operation, Self.operation(operation.value(bytes)) == nil {
      return "unknown operation \(operation.value(bytes)); expected 0 to 14, or 255 for none"
    }
    return "a time of \(time.map { $0.value(bytes) } ?? 0) seconds is out of range"
  }

  private static func operation(_ number: Int64) -> Operation? {
    switch number {
    case 0, 1, 2, 12, 255: .get
    case 3...8, 10, 11, 13, 14: .set
    case 9: .delete
    default: nil
    }
  }
}

private struct BinaryDecoder: FixedWidthDecoder {
  let layout: BinaryLayout

  var recordSize: Int { layout.recordSize }
  var remarks: [String] { layout.remarks }
  var understanding: [String] { layout.remarks }
  var columns: TraceColumns {
    let fields: [(BinaryLayout.Field?, TraceColumns)] = [
      (layout.size, .size), (layout.time, .time), (layout.operation, .operation),
      (layout.ttl, .ttl),
    ]
    return TraceColumns(fields.compactMap { $0.0 == nil ? nil : $0.1 })
  }

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
      guard let record = layout.record(at: bytes + index * layout.recordSize) else { return index }
      records[index] = record
    }
    return count
  }

  func damage(at bytes: UnsafeRawPointer, in path: String, offset: Int) -> TraceError {
    TraceError(
      layout.problem(at: bytes), in: path, at: .byte(offset),
      advice: "the file is damaged, or has another format")
  }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    guard let block = layout.block else { return try decodeWhole(reader, into: batch) }
    try begin(reader)
    while try reader.fill(atLeast: recordSize) {
      guard let whole = layout.record(at: reader.unread) else {
        throw damage(at: reader.unread, in: reader.path, offset: reader.offset)
      }
      let (offset, overflows) = whole.key.multipliedReportingOverflow(by: 512)
      guard !overflows,
        let run = BlockRun.of(offset: offset, length: UInt64(whole.size), block: UInt64(block))
      else {
        throw TraceError(
          "invalid request of \(whole.size) bytes at block \(whole.key)", in: reader.path,
          at: .byte(reader.offset))
      }
      reader.consume(recordSize)
      for step in 0..<run.count {
        let part = TraceRecord(key: run.first + step, time: whole.time, size: block)
        guard try batch.append(part) else { return }
      }
    }
    try checkEnd(reader)
    _ = try batch.flush()
  }
}

protocol FixedWidthDecoder: TraceDecoder {
  var recordSize: Int { get }

  func begin(_ reader: ByteReader) throws(TraceError)

  /// Decodes up to `count` records and returns their number: fewer if the next one is damaged.
  func decode(
    _ bytes: UnsafeRawPointer, count: Int, into records: UnsafeMutablePointer<TraceRecord>
  ) -> Int

  func damage(at bytes: UnsafeRawPointer, in path: String, offset: Int) -> TraceError
}

extension FixedWidthDecoder {
  func begin(_ reader: ByteReader) throws(TraceError) {}

  func damage(at bytes: UnsafeRawPointer, in path: String, offset: Int) -> TraceError {
    TraceError("the record is damaged", in: path, at: .byte(offset))
  }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    try decodeWhole(reader, into: batch)
  }

  fileprivate func decodeWhole(_ reader: ByteReader, into batch: RecordBatch) throws {
    try begin(reader)
    let size = recordSize
    while try reader.fill(atLeast: size) {
      let count = min(reader.unreadCount / size, RecordBatch.capacity)
      let decoded = decode(reader.unread, count: count, into: batch.records)
      guard decoded == count else {
        throw damage(
          at: reader.unread + decoded * size, in: reader.path,
          offset: reader.offset + decoded * size)
      }
      reader.consume(count * size)
      batch.count = count
      guard try batch.flush() else { return }
    }
    try checkEnd(reader)
  }

  fileprivate func checkEnd(_ reader: ByteReader) throws(TraceError) {
    guard reader.unreadCount > 0 else { return }
    throw TraceError(
      "the last record has \(reader.unreadCount) of \(recordSize) bytes", in: reader.path,
      at: .byte(reader.offset), advice: "the file is truncated or has another format")
  }
}
