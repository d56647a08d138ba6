/// A line of a table whose columns are known, taken apart with errors that say where.
struct TableLine {
  private let line: TextField
  private let delimiter: UInt8
  let path: String
  private let number: Int

  /// A line of the file at `path`.
  init(_ line: TextField, delimiter: UInt8, path: String, _ number: Int) {
    self.line = line
    self.delimiter = delimiter
    self.path = path
    self.number = number
  }

  /// An error in this line.
  func error(_ message: String) -> TraceError {
    TraceError(message, in: path, at: .line(number))
  }

  /// The fields, which must be so many.
  func fields(count: Int) throws(TraceError) -> [TextField] {
    var splitter = CsvSplitter(line, delimiter: delimiter)
    var fields: [TextField] = []
    fields.reserveCapacity(count)
    while let field = splitter.next() { fields.append(field) }
    guard fields.count == count, !splitter.isMalformed else { throw wrongCount(count) }
    return fields
  }

  /// The error for a line that has not so many fields.
  func wrongCount(_ count: Int, orMore: Bool = false) -> TraceError {
    var splitter = CsvSplitter(line, delimiter: delimiter)
    var found = 0
    while splitter.next() != nil { found += 1 }
    return error(
      "expected \(count) fields\(orMore ? " or more" : ""), found \(found): \(line.quoted)")
  }

  /// A field that must not be empty.
  func filled(_ field: TextField, _ name: String) throws(TraceError) -> TextField {
    guard !field.isEmpty else { throw error("the \(name) is empty") }
    return field
  }

  /// A time, microseconds.
  func time(_ field: TextField, _ unit: TimeUnit) throws(TraceError) -> UInt64 {
    guard let time = unit.microseconds(field) else { throw error(unit.problem(field)) }
    return time
  }

  /// A size in bytes, or another number of 32 bits.
  func size(_ field: TextField) throws(TraceError) -> UInt32 {
    guard let size = SizeField.size(field) else { throw error(SizeField.problem(field)) }
    return size
  }

  /// A whole number.
  func number(_ field: TextField, _ name: String) throws(TraceError) -> UInt64 {
    var rest = field
    guard let value = rest.takeInteger(), rest.isEmpty else {
      throw error("expected the \(name) as a whole number, found \(field.quoted)")
    }
    return value
  }

  /// Two sizes together.
  func sum(_ one: UInt32, _ other: UInt32) throws(TraceError) -> UInt32 {
    let (sum, overflows) = one.addingReportingOverflow(other)
    guard !overflows else {
      throw error("\(one) + \(other) bytes are above \(UInt32.max), the largest size of a request")
    }
    return sum
  }
}

extension TextField {
  /// The bytes left as a text.
  var text: String {
    String(decoding: UnsafeBufferPointer(start: next, count: count), as: UTF8.self)
  }
}
