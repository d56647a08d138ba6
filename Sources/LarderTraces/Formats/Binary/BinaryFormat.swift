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
      // Big-endian, without a letter in headers.
      case UInt8(ascii: "N"): return load(UInt32.self).byteSwapped >> 32 & 0xFFFF_FFFF
      case UInt8(ascii: "J"): return load(Int64.self).byteSwapped
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

struct BinaryDecoder: TraceDecoder {
  let layout: BinaryLayout

  var remarks: [String] { layout.remarks }
  var understanding: [String] { layout.remarks }
  var columns: TraceColumns {
    let fields: [(BinaryLayout.Field?, TraceColumns)] = [
      (layout.size, .size), (layout.time, .time), (layout.operation, .operation),
      (layout.ttl, .ttl),
    ]
    return TraceColumns(fields.compactMap { $0.0 == nil ? nil : $0.1 })
  }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    guard try reader.fill(atLeast: layout.headerSize) else {
      throw TraceError(
        "the header has \(reader.unreadCount) of \(layout.headerSize) bytes", in: reader.path,
        at: .byte(0), advice: "the file is truncated")
    }
    reader.consume(layout.headerSize)
    let isWhole =
      if let block = layout.block {
        try decodeBlocks(of: block, reader, into: batch)
      } else {
        try decodeRecords(reader, into: batch)
      }
    guard isWhole else { return }
    if reader.unreadCount > 0 {
      throw TraceError(
        "the last record has \(reader.unreadCount) of \(layout.recordSize) bytes",
        in: reader.path, at: .byte(reader.offset),
        advice: "the file is truncated or has another format")
    }
    _ = try batch.flush()
  }

  /// False if the sink stopped.
  private func decodeRecords(_ reader: ByteReader, into batch: RecordBatch) throws -> Bool {
    let size = layout.recordSize
    while try reader.fill(atLeast: size) {
      let (bytes, count) = (reader.unread, min(reader.unreadCount / size, RecordBatch.capacity))
      for index in 0..<count {
        guard let record = layout.record(at: bytes + index * size) else {
          throw damage(at: index * size, reader)
        }
        batch.records[index] = record
      }
      reader.consume(count * size)
      batch.count = count
      guard try batch.flush() else { return false }
    }
    return true
  }

  /// Reads a record as a request for each block that it touches; false if the sink stopped.
  private func decodeBlocks(
    of block: UInt32, _ reader: ByteReader, into batch: RecordBatch
  ) throws -> Bool {
    while try reader.fill(atLeast: layout.recordSize) {
      guard let whole = layout.record(at: reader.unread) else { throw damage(at: 0, reader) }
      let (offset, overflows) = whole.key.multipliedReportingOverflow(by: 512)
      guard !overflows,
        let run = BlockRun.of(offset: offset, length: UInt64(whole.size), block: UInt64(block))
      else {
        throw TraceError(
          "invalid request of \(whole.size) bytes at block \(whole.key)", in: reader.path,
          at: .byte(reader.offset))
      }
      reader.consume(layout.recordSize)
      for step in 0..<run.count {
        let part = TraceRecord(key: run.first + step, time: whole.time, size: block)
        guard try batch.append(part) else { return false }
      }
    }
    return true
  }

  private func damage(at place: Int, _ reader: ByteReader) -> TraceError {
    TraceError(
      layout.problem(at: reader.unread + place), in: reader.path,
      at: .byte(reader.offset + place), advice: "the file is damaged, or has another format")
  }
}
