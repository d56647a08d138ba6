import LarderEngine

/// Decodes a table whose layout is known.
struct CsvDecoder: TraceDecoder {
  /// What the columns are.
  let layout: CsvLayout

  var columns: TraceColumns { layout.columns }
  var sizeRule: SizeRule { layout.hasRequestSizes ? .logged : .lastFull }
  var sortsTimes: Bool { true }
  var understanding: [String] { layout.understanding }
  var remarks: [String] { layout.remarks }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    let space = UnsafeMutableBufferPointer<TextField>.allocate(capacity: layout.fieldCount)
    defer { space.deallocate() }
    var isHeader = layout.hasHeader
    var hasBegun = false
    var operations = CsvOperationLookup(layout.operations)
    try reader.forEachLine(telling: batch) { line, number in
      if line.isEmpty || line.trimmed.isEmpty { return true }
      if !layout.comment.isEmpty, line.starts(with: layout.comment) {
        if hasBegun { batch.skip("comments", line: line) }
        return true
      }
      hasBegun = true
      if isHeader {
        isHeader = false
        return true
      }
      guard split(line, into: space) else {
        try batch.bad(
          TraceError(
            splitProblem(line), in: reader.path, at: .line(number), advice: raggedAdvice(line)))
        return true
      }
      var record = TraceRecord(key: 0)
      if let role = readID(space, into: &record) {
        try batch.bad(TraceError(problem(role, idField(space)), in: reader.path, at: .line(number)))
        return true
      }
      for (role, column) in layout.roles {
        switch read(space[column], as: role, into: &record, &operations) {
        case .read: continue
        case .leftOut: batch.skip(leftOut(space[column]), line: line)
        case .bad:
          try batch.bad(
            TraceError(problem(role, space[column]), in: reader.path, at: .line(number)))
        }
        return true
      }
      if layout.block != nil {
        return try split(record, space, into: batch) {
          TraceError($0, in: reader.path, at: .line(number))
        }
      }
      return try batch.append(record)
    }
    _ = try batch.flush()
  }

  /// Puts the fields of a line into `space`; false when there are not as many as there should be.
  @inline(__always)
  private func split(_ line: TextField, into space: UnsafeMutableBufferPointer<TextField>) -> Bool {
    var splitter = CsvSplitter(line, delimiter: layout.delimiter)
    let count = splitter.take(into: space)
    if layout.isRagged {
      for place in count..<space.count { space[place] = TextField(line.end, line.end) }
      return !splitter.isMalformed
    }
    return count == space.count && splitter.next() == nil && !splitter.isMalformed
  }

  /// Reads the id; the role where it is empty.
  @inline(__always)
  private func readID(
    _ space: UnsafeMutableBufferPointer<TextField>, into record: inout TraceRecord
  ) -> CsvRole? {
    let first = space[layout.idColumns[0]]
    if first.isEmpty { return .id }
    if layout.idColumns.count == 1 {
      record.key = KeyHash.key(first)
    } else {
      var key = KeyHash.key(first)
      for column in layout.idColumns.dropFirst() {
        if space[column].isEmpty { return .id }
        key = KeyHash.joined(key, KeyHash.key(space[column]))
      }
      record.key = key
    }
    return nil
  }

  private func idField(_ space: UnsafeMutableBufferPointer<TextField>) -> TextField {
    space[layout.idColumns.last ?? 0]
  }

  /// Adds one request for each block that a request touches; false when the sink wants no more.
  private func split(
    _ record: TraceRecord, _ space: UnsafeMutableBufferPointer<TextField>,
    into batch: RecordBatch, _ error: (String) -> TraceError
  ) throws -> Bool {
    let block = layout.block ?? 1
    let field = idField(space)
    let (offset, overflows) =
      DecimalNumber(field)?.whole?
      .multipliedReportingOverflow(by: layout.addressUnit) ?? (0, true)
    let length = record.isSizeKnown && layout.columns.contains(.size) ? record.size : block
    guard !overflows,
      let run = BlockRun.of(offset: offset, length: UInt64(length), block: UInt64(block))
    else {
      try batch.bad(
        error("expected the address of a request of \(length) bytes, found \(field.quoted)"))
      return true
    }
    var device: UInt64 = 0
    for column in layout.idColumns.dropLast() {
      device = KeyHash.joined(device, KeyHash.key(space[column]))
    }
    var part = record
    part.size = block
    part.isSizeKnown = true
    for step in 0..<run.count {
      part.key = BlockRun.key(device: device, run.first + step)
      guard try batch.append(part) else { return false }
    }
    return true
  }

  /// What became of a field.
  private enum Reading {
    case read
    /// The line is left out by rule.
    case leftOut
    /// Not what its role asks for.
    case bad
  }

  /// Puts a field into the record.
  @inline(__always)
  private func read(
    _ field: TextField, as role: CsvRole, into record: inout TraceRecord,
    _ operations: inout CsvOperationLookup
  ) -> Reading {
    switch role {
    case .id: break
    case .time:
      guard let time = layout.timeUnit.microseconds(field) ?? LogTime.microseconds(field) else {
        return .bad
      }
      record.time = time
    case .size:
      if let size = SizeField.size(field) {
        record.size = size
      } else {
        guard field.isMissing else { return .bad }
        record.size = 0
        record.isSizeKnown = false
      }
    case .ttl:
      if let ttl = SizeField.size(field) {
        record.ttl = ttl
      } else if !field.isMissing {
        return .bad
      }
    case .operation:
      switch operations.meaning(field) {
      case .operation(let operation): record.operation = operation.rawValue
      case .leftOut: return .leftOut
      case nil:
        guard let operation = layout.unknownOperation else {
          return layout.leavesOutUnknown ? .leftOut : .bad
        }
        record.operation = operation.rawValue
      }
    case .cost:
      if let cost = CsvDecoder.cost(field) {
        record.cost = cost
      } else {
        guard field.isMissing else { return .bad }
        record.cost = TraceRecord.unknownCost
      }
    }
    return .read
  }

  private func leftOut(_ field: TextField) -> String {
    layout.operations.meaning(of: field.text) == nil
      ? "the operation \(field.quoted) is not known"
      : "the operation \(field.quoted) is to be skipped"
  }

  /// What to do about lines of other lengths, where one has not as many fields.
  private func raggedAdvice(_ line: TextField) -> String? {
    var splitter = CsvSplitter(line, delimiter: layout.delimiter)
    while splitter.next() != nil {}
    return splitter.isMalformed ? nil : "ragged=true reads lines with fewer or more fields"
  }

  private static func cost(_ field: TextField) -> Float? {
    Float(field.text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }

  private func splitProblem(_ line: TextField) -> String {
    var splitter = CsvSplitter(line, delimiter: layout.delimiter)
    var count = 0
    while splitter.next() != nil { count += 1 }
    return splitter.isMalformed
      ? "unclosed quote, or no delimiter after it (a field must not span lines)"
      : "expected \(layout.fieldCount) fields, as line 1 has, found \(count)"
  }

  private func problem(_ role: CsvRole, _ field: TextField) -> String {
    switch role {
    case .id: "the id is empty"
    case .time: layout.timeUnit.problem(field)
    case .size: SizeField.problem(field)
    case .ttl: "expected a TTL in whole seconds, found \(field.quoted)"
    case .operation: "expected an operation such as get, set or delete, found \(field.quoted)"
    case .cost: "expected a cost of at least 0, found \(field.quoted)"
    }
  }
}

extension TextField {
  /// Empty, or what programs write for a value that is not there: `-`, NaN, NULL, None, NA.
  var isMissing: Bool {
    isNothing || equals(anyCase: "nan") || equals(anyCase: "null") || equals(anyCase: "none")
      || equals(anyCase: "na") || equals(anyCase: "n/a") || equals(anyCase: "<na>")
  }
}
