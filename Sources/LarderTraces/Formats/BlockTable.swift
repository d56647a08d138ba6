import LarderEngine

/// Columns and units of a table of requests to block devices.
struct BlockTable: Sendable {
  /// Unit of a table's times.
  enum Time: Sendable {
    /// Decimal numbers.
    case unit(TimeUnit)
    /// Whole numbers of 100 ns since 1601.
    case fileTime
  }

  /// Columns that together identify a device.
  let device: ClosedRange<Int>
  /// Column with read or write.
  let operation: Int
  let offset: Int
  let length: Int
  let time: Int
  /// Minimum number of fields per line.
  let fieldCount: Int
  /// True if lines may have more fields.
  var mayHaveMore = false
  /// Bytes per unit of the offset.
  var offsetUnit: UInt64 = 1
  /// Bytes per unit of the length.
  var lengthUnit: UInt64 = 1
  let timeUnit: Time

  /// Options of all tables of block requests.
  static let parameters = [
    Parameter.block,
    Parameter(
      "writes", default: "get",
      "writes count as reads do (get), as sets (set), or are skipped (skip)"),
    .maxBad,
  ]

  /// True for a write, false for a read; nil for anything else.
  static func isWrite(_ field: TextField) -> Bool? {
    if field.count == 1 {
      switch field.next.pointee {
      case UInt8(ascii: "R"), UInt8(ascii: "r"), UInt8(ascii: "0"): return false
      case UInt8(ascii: "W"), UInt8(ascii: "w"), UInt8(ascii: "1"): return true
      default: return nil
      }
    }
    if field.equals(anyCase: "read") { return false }
    return field.equals(anyCase: "write") ? true : nil
  }

  /// Fields of each line of a sample, trimmed; empty for a line of fewer than `minimum` fields.
  static func rows(_ sample: FormatSample, fields minimum: Int) -> [[ArraySlice<UInt8>]] {
    guard sample.isText else { return [] }
    let rows = sample.lines().map { line -> [ArraySlice<UInt8>] in
      line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(trimmed)
    }
    return rows.allSatisfy { $0.count >= minimum } ? rows : []
  }

  private static func trimmed(_ field: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var field = field.drop { $0 == 0x20 }
    while field.last == 0x20 { field.removeLast() }
    return field
  }

  /// True if the bytes are a whole number of `digits` digits.
  static func isNumber(_ field: ArraySlice<UInt8>, digits: ClosedRange<Int> = 1...20) -> Bool {
    digits.contains(field.count) && field.allSatisfy { $0 &- 0x30 <= 9 }
  }
}

/// Treatment of writes to block devices.
enum BlockWrites: String, CaseIterable, Sendable {
  case get, set, skip
}

/// Consecutive blocks of one request.
struct BlockRun {
  /// Maximum blocks of a request; more is damage.
  static let maximum: UInt64 = 1 << 24

  /// First block of a request and number of blocks; nil if out of range.
  @inline(__always) static func of(
    offset: UInt64, length: UInt64, block: UInt64
  ) -> (first: UInt64, count: UInt64)? {
    let (end, overflows) = offset.addingReportingOverflow(length)
    guard !overflows, length / block <= maximum else { return nil }
    return (offset / block, length == 0 ? 0 : (end - 1) / block - offset / block + 1)
  }

  /// Key of a block or address of a device.
  @inline(__always) static func key(device: UInt64, _ number: UInt64) -> UInt64 {
    device &+ number &* 0x9E37_79B9_7F4A_7C15
  }

  /// Note for tables whose requests are not split.
  static let note = """
    A request for several blocks counts as one object, at its first address; the format option
    block=4096 splits it into blocks of 4096 bytes.
    """
}

extension Parameter {
  /// Option of traces of block devices: the block size into which requests are split.
  static let block = Parameter(
    "block", .bytes(1...Int(UInt32.max)), default: "",
    "bytes per block: splits a request into one for each block that it touches")
}

extension ParameterReader {
  /// Block size in bytes; nil if requests are not split.
  func block() throws(ComponentError) -> UInt32? {
    text(Parameter.block.name) == nil ? nil : UInt32(try whole(Parameter.block.name))
  }
}

struct BlockTableDecoder: TraceDecoder {
  let table: BlockTable
  /// Block size into which requests are split, in bytes; nil to keep them whole.
  let block: UInt32?
  let writes: BlockWrites
  /// Notes for readers of results.
  var remarks: [String] = []

  var columns: TraceColumns { writes == .set ? [.size, .time, .operation] : [.size, .time] }
  var understanding: [String] { remarks }

  /// Decoder with the options that all such tables have.
  init(_ table: BlockTable, _ options: ParameterReader) throws(ComponentError) {
    self.table = table
    block = try options.block()
    writes = try options.choice("writes", of: BlockWrites.self) ?? .get
    if block == nil { remarks.append(BlockRun.note) }
    if writes == .get {
      remarks.append("Writes count as gets; writes=set or writes=skip changes this.")
    }
  }

  /// Decoder that splits requests.
  init(_ table: BlockTable, block: UInt32, writes: BlockWrites) {
    self.table = table
    self.block = block
    self.writes = writes
  }

  /// A parsed line.
  private struct Row {
    var record: TraceRecord
    var isWrite: Bool
    /// First block, or the address.
    var first: UInt64
    /// Number of blocks.
    var count: UInt64
    var device: UInt64
  }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    let space = UnsafeMutableBufferPointer<TextField>.allocate(capacity: table.fieldCount)
    defer { space.deallocate() }
    try reader.forEachLine(telling: batch) { line, number in
      if line.trimmed.isEmpty { return true }
      let place = TableLine(line, delimiter: UInt8(ascii: ","), path: reader.path, number)
      let row = try batch.read { () throws(TraceError) in try self.row(place, line, space) }
      guard var row else { return true }
      if row.isWrite, writes == .skip {
        batch.skip("they are writes", line: line)
        return true
      }
      if row.isWrite, writes == .set { row.record.operation = Operation.set.rawValue }
      for step in 0..<row.count {
        row.record.key = BlockRun.key(device: row.device, row.first + step)
        guard try batch.append(row.record) else { return false }
      }
      return true
    }
    _ = try batch.flush()
  }

  private func row(
    _ place: TableLine, _ line: TextField, _ space: UnsafeMutableBufferPointer<TextField>
  ) throws(TraceError) -> Row {
    var splitter = CsvSplitter(line, delimiter: UInt8(ascii: ","))
    let count = splitter.take(into: space)
    guard count == space.count, table.mayHaveMore || splitter.next() == nil,
      !splitter.isMalformed
    else { throw place.wrongCount(space.count, orMore: table.mayHaveMore) }
    guard let isWrite = BlockTable.isWrite(space[table.operation]) else {
      throw place.error("expected Read or Write, found \(space[table.operation].quoted)")
    }
    let offset = try bytes(place, space[table.offset], table.offsetUnit, "offset")
    let length = try bytes(place, space[table.length], table.lengthUnit, "length")
    let device = UnsafeBufferPointer(
      start: space[table.device.lowerBound].next,
      count: space[table.device.upperBound].end - space[table.device.lowerBound].next)
    var record = TraceRecord(key: 0)
    switch table.timeUnit {
    case .unit(let unit): record.time = try place.time(space[table.time], unit)
    case .fileTime: record.time = try place.number(space[table.time], "time") / 10
    }
    var (first, blocks): (UInt64, UInt64) = (offset / table.offsetUnit, 1)
    if let block {
      guard let run = BlockRun.of(offset: offset, length: length, block: UInt64(block)) else {
        throw place.error("invalid request of \(length) bytes at offset \(offset)")
      }
      (first, blocks) = run
      record.size = block
    } else {
      guard let size = UInt32(exactly: length) else {
        throw place.error("invalid request of \(length) bytes at offset \(offset)")
      }
      record.size = size
    }
    return Row(
      record: record, isWrite: isWrite, first: first, count: blocks,
      device: KeyHash.hash(device))
  }

  private func bytes(
    _ place: TableLine, _ field: TextField, _ unit: UInt64, _ name: String
  ) throws(TraceError) -> UInt64 {
    let (bytes, overflows) = try place.number(field, name).multipliedReportingOverflow(by: unit)
    guard !overflows else { throw place.error("the \(name) \(field.quoted) is too large") }
    return bytes
  }
}
