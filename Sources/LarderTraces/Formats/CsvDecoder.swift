/// Decodes a table whose layout is known.
struct CsvDecoder: TraceDecoder {
  /// What the columns are.
  let layout: CsvLayout

  var columns: TraceColumns { layout.columns }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    let space = UnsafeMutableBufferPointer<TextField>.allocate(capacity: layout.fieldCount)
    defer { space.deallocate() }
    var isHeader = layout.hasHeader
    try reader.forEachLine { line, number in
      if line.isEmpty || line.trimmed.isEmpty { return true }
      if isHeader {
        isHeader = false
        return true
      }
      guard split(line, into: space) else {
        throw TraceError(splitProblem(line), in: reader.path, at: .line(number))
      }
      var record = TraceRecord(key: 0)
      for (role, column) in layout.roles where !read(space[column], as: role, into: &record) {
        throw TraceError(problem(role, space[column]), in: reader.path, at: .line(number))
      }
      return try batch.append(record)
    }
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

  /// Puts a field into the record; false when it is not what its role asks for.
  @inline(__always)
  private func read(_ field: TextField, as role: CsvRole, into record: inout TraceRecord) -> Bool {
    switch role {
    case .id:
      if field.isEmpty { return false }
      record.key = KeyHash.key(field)
    case .time:
      guard let time = layout.timeUnit.microseconds(field) else { return false }
      record.time = time
    case .size:
      guard let size = SizeField.size(field) else { return false }
      record.size = size
    case .ttl:
      if field.isEmpty { return true }
      guard let ttl = SizeField.size(field) else { return false }
      record.ttl = ttl
    case .operation:
      guard let operation = CsvRole.operation(field) else { return false }
      record.operation = operation
    case .cost:
      guard let cost = CsvDecoder.cost(field) else { return false }
      record.cost = cost
    }
    return true
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
    case .operation: "expected get, set, delete or modify, found \(field.quoted)"
    case .cost: "expected a cost of at least 0, found \(field.quoted)"
    }
  }
}
