import LarderEngine

struct TableDecoder: TraceDecoder {
  let layout: TableLayout
  private let hasAddress: Bool
  private let hasLength: Bool
  /// True if a line is one request with the columns as they are.
  private let isPlain: Bool

  init(layout: TableLayout) {
    self.layout = layout
    let roles = layout.columns.map(\.role)
    hasAddress = roles.contains(.address)
    hasLength = roles.contains(.length)
    isPlain = roles.allSatisfy(\.isPlain)
  }

  var columns: TraceColumns {
    let isWritten = layout.writes == .set && layout.columns.contains { $0.role == .access }
    return layout.columns.reduce(into: isWritten ? [.operation] : []) {
      $0.formUnion($1.role.column)
    }
  }
  var sizeRule: SizeRule { layout.sizeRule }
  var sortsTimes: Bool { layout.sortsTimes }
  var remembersSizes: Bool { layout.remembersSizes }
  var remarks: [String] { layout.remarks }
  var understanding: [String] { [layout.roles].compactMap { $0 } + layout.remarks }

  private struct Row {
    var record = TraceRecord(key: 0)
    var hasID = false
    var keySize: UInt32 = 0
    var repeats: UInt64 = 1
    var isWrite = false
    var device: UInt64 = 0
    var deviceText: TextField?
    /// Address as written, and in bytes.
    var number: UInt64 = 0
    var address: UInt64 = 0
    var length: UInt64 = 0
    var run: UInt64 = 1
  }

  private enum Reading {
    case read
    case leftOut(String)
    case bad(String)
  }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    let spare = layout.wordy == nil ? 0 : TableDecoder.wordsMaximum
    let space = UnsafeMutableBufferPointer<TextField>.allocate(capacity: layout.fieldCount + spare)
    defer { space.deallocate() }
    var isHeader = layout.hasHeader
    var header: [UInt8] = []
    var hasBegun = false
    var operations = CsvOperationLookup(layout.operations)
    try reader.forEachLine(telling: batch) { line, number in
      if line.isEmpty || line.trimmed.isEmpty { return true }
      if !layout.comment.isEmpty, line.starts(with: layout.comment) {
        if hasBegun { batch.skip("comments", line: line) }
        return true
      }
      hasBegun = true
      if let reason = layout.skips?(line) {
        if !reason.isEmpty { batch.skip(reason, line: line) }
        return true
      }
      if isHeader {
        isHeader = false
        header = Array(UnsafeBufferPointer(start: line.next, count: line.count))
        return true
      }
      if layout.hasHeader, line.equals(header) {
        batch.skip("the header, repeated where files were concatenated")
        return true
      }
      func bad(_ problem: String, advice: String? = nil) throws(TraceError) {
        try batch.bad(TraceError(problem, in: reader.path, at: .line(number), advice: advice))
      }
      guard split(line, into: space) else {
        let (problem, advice) = splitProblem(line)
        try bad(problem, advice: advice)
        return true
      }
      var row = Row()
      for column in layout.columns {
        switch read(space[column.index], as: column, into: &row, &operations) {
        case .read: continue
        case .leftOut(let reason): batch.skip(reason, line: line)
        case .bad(let problem): try bad(problem)
        }
        return true
      }
      if isPlain { return try batch.append(row.record) }
      switch complete(&row) {
      case .read: return try append(row, to: batch)
      case .leftOut(let reason): batch.skip(reason, line: line)
      case .bad(let problem): try bad(problem)
      }
      return true
    }
    _ = try batch.flush()
  }

  @inline(__always) private func split(
    _ line: TextField, into space: UnsafeMutableBufferPointer<TextField>
  ) -> Bool {
    guard let delimiter = layout.delimiter else {
      space[0] = line.trimmed
      return true
    }
    var splitter = CsvSplitter(line, delimiter: delimiter)
    var count = splitter.take(into: space)
    if let wordy = layout.wordy, count > layout.fieldCount {
      let words = count - layout.fieldCount
      for place in (wordy + 1)..<layout.fieldCount { space[place] = space[place + words] }
      count = layout.fieldCount
    }
    if layout.wordy != nil { return count == layout.fieldCount && splitter.next() == nil }
    if layout.isRagged {
      for place in count..<space.count { space[place] = TextField(line.end, line.end) }
      return !splitter.isMalformed
    }
    return count == space.count && (layout.mayHaveMore || splitter.next() == nil)
      && !splitter.isMalformed
  }

  private static let wordsMaximum = 16

  private func splitProblem(_ line: TextField) -> (problem: String, advice: String?) {
    let count = CsvSplitter.fields(in: line, delimiter: layout.delimiter ?? 0x0A)
    if count == 0 {
      return ("unclosed quote, or no delimiter after it (a field must not span lines)", nil)
    }
    let more = layout.mayHaveMore ? " or more" : ""
    return (
      "expected \(layout.fieldCount) fields\(more), found \(count): \(line.quoted)", layout.advice
    )
  }

  @inline(__always) private func read(
    _ field: TextField, as column: TableLayout.Column, into row: inout Row,
    _ operations: inout CsvOperationLookup
  ) -> Reading {
    switch column.role {
    case .id:
      guard !field.isEmpty else { return .bad("the id is empty") }
      let key = KeyHash.key(field)
      row.record.key = row.hasID ? KeyHash.joined(row.record.key, key) : key
      row.hasID = true
    case .time:
      guard let time = layout.timeUnit.microseconds(field) ?? LogTime.microseconds(field) else {
        return .bad(layout.timeUnit.problem(field))
      }
      row.record.time = time
    case .size:
      if let size = SizeField.size(field) {
        row.record.size = size
      } else if let large = DecimalNumber(field)?.whole {
        row.record.size = UInt32(clamping: large)
      } else {
        guard field.isMissing else { return .bad(SizeField.problem(field)) }
        row.record.size = 0
        row.record.isSizeKnown = false
      }
    case .operation:
      switch operations.meaning(field) {
      case .operation(let operation): row.record.operation = operation.rawValue
      case .leftOut: return .leftOut("the operation \(field.quoted) is to be skipped")
      case nil: return unknownOperation(field, &row)
      }
    case .number:
      var rest = field
      guard let number = rest.takeInteger(), rest.isEmpty else { return notWhole("id", field) }
      row.record.key = number
    default: return readOther(field, as: column, into: &row)
    }
    return .read
  }

  @inline(never) private func unknownOperation(_ field: TextField, _ row: inout Row) -> Reading {
    switch layout.unknown {
    case .operation(let operation): row.record.operation = operation.rawValue
    case .leftOut: return .leftOut("unknown operation \(field.quoted)")
    case nil:
      return .bad("expected an operation such as get, set or delete, found \(field.quoted)")
    }
    return .read
  }

  @inline(never) private func readOther(
    _ field: TextField, as column: TableLayout.Column, into row: inout Row
  ) -> Reading {
    switch column.role {
    case .ttl:
      if let ttl = SizeField.size(field) {
        row.record.ttl = ttl
      } else if !field.isMissing {
        return .bad("expected a TTL in whole seconds, found \(field.quoted)")
      }
    case .cost:
      let cost = Float(field.text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
      guard cost != nil || field.isMissing else {
        return .bad("expected a cost of at least 0, found \(field.quoted)")
      }
      row.record.cost = cost ?? TraceRecord.unknownCost
    case .valueSize, .keySize:
      guard let size = SizeField.size(field) else { return .bad(SizeField.problem(field)) }
      if column.role == .keySize {
        row.keySize = size
      } else {
        row.record.size = size
        row.record.isSizeKnown = size != 0
      }
    case .deviceKey:
      guard !field.isEmpty else { return .bad("the id is empty") }
      row.device = KeyHash.joined(row.device, KeyHash.key(field))
    case .device: row.deviceText = TextField(row.deviceText?.next ?? field.next, field.end)
    case .access, .chunkAccess:
      let isChunk = column.role == .chunkAccess
      guard let isWrite = isChunk ? field.writesChunk : field.isWrite else {
        return .bad("expected Read or Write, found \(field.quoted)")
      }
      row.isWrite = isWrite
    default: return readNumber(field, as: column, into: &row)
    }
    return .read
  }

  private func readNumber(
    _ field: TextField, as column: TableLayout.Column, into row: inout Row
  ) -> Reading {
    let name = column.role == .address ? "address" : layout.names[column.index]
    guard let number = DecimalNumber(field)?.whole else { return notWhole(name, field) }
    let (bytes, overflows) = number.multipliedReportingOverflow(by: column.unit)
    guard !overflows else { return .bad("the \(name) \(field.quoted) is too large") }
    switch column.role {
    case .address: (row.number, row.address) = (number, bytes)
    case .length: row.length = bytes
    case .fileTime: row.record.time = number / 10
    case .repeats: row.repeats = number
    case .run: row.run = number
    default: break
    }
    return .read
  }

  private func notWhole(_ name: String, _ field: TextField) -> Reading {
    .bad("expected the \(name) as a whole number, found \(field.quoted)")
  }

  private func complete(_ row: inout Row) -> Reading {
    guard row.repeats <= BlockRun.maximum else {
      return .bad("invalid number of requests \(row.repeats)")
    }
    let (size, overflows) = row.record.size.addingReportingOverflow(row.keySize)
    guard !overflows else {
      return .bad(
        "\(row.keySize) + \(row.record.size) bytes are above \(UInt32.max), the largest size of a "
          + "request")
    }
    if hasAddress { return completeBlocks(&row) }
    row.record.size = size
    row.number = row.record.key
    guard row.run <= BlockRun.maximum, row.run == 1 || row.number <= .max - row.run else {
      return .bad("invalid run of \(row.run) blocks from \(row.number)")
    }
    return .read
  }

  private func completeBlocks(_ row: inout Row) -> Reading {
    if row.isWrite {
      if layout.writes == .skip { return .leftOut("they are writes") }
      if layout.writes == .set { row.record.operation = Operation.set.rawValue }
    }
    if let text = row.deviceText {
      row.device = KeyHash.hash(UnsafeBufferPointer(start: text.next, count: text.count))
    }
    if let block = layout.block, !hasLength {
      let isKnown = row.record.isSizeKnown && columns.contains(.size)
      row.length = UInt64(isKnown ? row.record.size : block)
    }
    var isValid = layout.block != nil || row.length <= UInt64(UInt32.max)
    row.record.size = layout.block ?? UInt32(truncatingIfNeeded: row.length)
    row.record.isSizeKnown = true
    if let block = layout.block {
      let run = BlockRun.of(offset: row.address, length: row.length, block: UInt64(block))
      (row.number, row.run) = run ?? (0, 0)
      isValid = run != nil
    }
    return isValid
      ? .read : .bad("invalid request of \(row.length) bytes at address \(row.address)")
  }

  private func append(_ row: Row, to batch: RecordBatch) throws -> Bool {
    var record = row.record
    for step in 0..<row.run {
      let number = row.number + step
      record.key = hasAddress ? BlockRun.key(device: row.device, number) : number
      for _ in 0..<row.repeats { guard try batch.append(record) else { return false } }
    }
    return true
  }
}

extension TableRole {
  fileprivate var isPlain: Bool {
    switch self {
    case .id, .number, .time, .size, .ttl, .operation, .cost, .whole, .fileTime: true
    default: false
    }
  }
}

extension TextField {
  fileprivate var isWrite: Bool? {
    if equals(anyCase: "r") || equals(anyCase: "0") || equals(anyCase: "read") { return false }
    if equals(anyCase: "w") || equals(anyCase: "1") || equals(anyCase: "write") { return true }
    return isDataRequest ? find(0x57) != nil : nil
  }

  /// True for the kind of a request to a block device that reads or writes: `RA`, `WS`, `FWFS`.
  var isDataRequest: Bool {
    let isKind = !isEmpty && (0..<count).allSatisfy { "RWDFNASMV".utf8.contains(next[$0]) }
    return isKind && (find(0x52) != nil || find(0x57) != nil)
  }

  fileprivate var writesChunk: Bool? {
    if starts(with: Array("get".utf8)) || ["1", "2", "5"].contains(text) { return false }
    return starts(with: Array("put".utf8)) || ["3", "4", "6"].contains(text) ? true : nil
  }

  /// True for an empty field and the usual markers of missing values: `-`, NaN, NULL, None, NA.
  var isMissing: Bool {
    isNothing || equals(anyCase: "nan") || equals(anyCase: "null") || equals(anyCase: "none")
      || equals(anyCase: "na") || equals(anyCase: "n/a") || equals(anyCase: "<na>")
  }
}
