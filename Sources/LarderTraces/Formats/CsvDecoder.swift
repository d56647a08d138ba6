/// Decodes a table whose layout is known.
struct CsvDecoder: TraceDecoder {
  /// What the columns are.
  let layout: CsvLayout

  var columns: TraceColumns { layout.columns }
  var sizeRule: SizeRule { layout.hasRequestSizes ? .logged : .lastFull }
  var sortsTimes: Bool { true }
  var understanding: [String] { layout.understanding }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    let space = UnsafeMutableBufferPointer<TextField>.allocate(capacity: layout.fieldCount)
    defer { space.deallocate() }
    var isHeader = layout.hasHeader
    var last = 0
    try reader.forEachLine(telling: batch) { line, number in
      last = number
      if line.isEmpty || line.trimmed.isEmpty { return true }
      if isHeader {
        isHeader = false
        return true
      }
      guard split(line, into: space) else {
        try batch.bad(TraceError(splitProblem(line), in: reader.path, at: .line(number)))
        return true
      }
      var record = TraceRecord(key: 0)
      for (role, column) in layout.roles {
        switch read(space[column], as: role, into: &record) {
        case .read: continue
        case .leftOut: batch.skip("the operation \(space[column].quoted) is not known")
        case .bad:
          try batch.bad(
            TraceError(problem(role, space[column]), in: reader.path, at: .line(number)))
        }
        return true
      }
      return try batch.append(record)
    }
    batch.noteLines(last)
    _ = try batch.flush()
  }

  /// Puts the fields of a line into `space`; false when there are not as many as there should be.
  @inline(__always)
  private func split(_ line: TextField, into space: UnsafeMutableBufferPointer<TextField>) -> Bool {
    var splitter = CsvSplitter(line, delimiter: layout.delimiter)
    var count = 0
    while let field = splitter.next() {
      if count == space.count { return false }
      space[count] = field
      count += 1
    }
    return count == space.count && !splitter.isMalformed
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
    _ field: TextField, as role: CsvRole, into record: inout TraceRecord
  ) -> Reading {
    switch role {
    case .id:
      if field.isEmpty { return .bad }
      record.key = KeyHash.key(field)
    case .time:
      guard let time = layout.timeUnit.microseconds(field) ?? LogTime.microseconds(field) else {
        return .bad
      }
      record.time = time
    case .size:
      if field.isNothing {
        record.size = 0
        record.isSizeKnown = false
        return .read
      }
      guard let size = SizeField.size(field) else { return .bad }
      record.size = size
    case .ttl:
      if field.isEmpty { return .read }
      guard let ttl = SizeField.size(field) else { return .bad }
      record.ttl = ttl
    case .operation:
      guard let operation = CsvRole.operation(field) ?? layout.unknownOperation else {
        return layout.leavesOutUnknown ? .leftOut : .bad
      }
      record.operation = operation.rawValue
    case .cost:
      if field.isNothing {
        record.cost = TraceRecord.unknownCost
        return .read
      }
      guard let cost = CsvDecoder.cost(field) else { return .bad }
      record.cost = cost
    }
    return .read
  }

  private static func cost(_ field: TextField) -> Float? {
    let text = String(
      decoding: UnsafeBufferPointer(start: field.next, count: field.count), as: UTF8.self)
    return Float(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
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
