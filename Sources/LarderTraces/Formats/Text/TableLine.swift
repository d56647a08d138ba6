import LarderEngine

/// Parser for a line of a table with known columns; errors give the line.
struct TableLine {
  private let line: TextField
  private let delimiter: UInt8
  let path: String
  private let number: Int

  init(_ line: TextField, delimiter: UInt8, path: String, _ number: Int) {
    self.line = line
    self.delimiter = delimiter
    self.path = path
    self.number = number
  }

  /// Error in this line.
  func error(_ message: String) -> TraceError {
    TraceError(message, in: path, at: .line(number))
  }

  /// The fields, exactly `count`.
  func fields(count: Int) throws(TraceError) -> [TextField] {
    var splitter = CsvSplitter(line, delimiter: delimiter)
    var fields: [TextField] = []
    fields.reserveCapacity(count)
    while let field = splitter.next() { fields.append(field) }
    guard fields.count == count, !splitter.isMalformed else { throw wrongCount(count) }
    return fields
  }

  /// Error for a wrong number of fields.
  func wrongCount(_ count: Int, orMore: Bool = false) -> TraceError {
    var splitter = CsvSplitter(line, delimiter: delimiter)
    var found = 0
    while splitter.next() != nil { found += 1 }
    return error(
      "expected \(count) fields\(orMore ? " or more" : ""), found \(found): \(line.quoted)")
  }

  /// Checks that a field is not empty.
  func filled(_ field: TextField, _ name: String) throws(TraceError) -> TextField {
    guard !field.isEmpty else { throw error("the \(name) is empty") }
    return field
  }

  /// Parses a time, in microseconds.
  func time(_ field: TextField, _ unit: TimeUnit) throws(TraceError) -> UInt64 {
    guard let time = unit.microseconds(field) else { throw error(unit.problem(field)) }
    return time
  }

  /// Parses a size in bytes, or another number of 32 bits.
  func size(_ field: TextField) throws(TraceError) -> UInt32 {
    guard let size = SizeField.size(field) else { throw error(SizeField.problem(field)) }
    return size
  }

  func number(_ field: TextField, _ name: String) throws(TraceError) -> UInt64 {
    var rest = field
    guard let value = rest.takeInteger(), rest.isEmpty else {
      throw error("expected the \(name) as a whole number, found \(field.quoted)")
    }
    return value
  }

  /// Sum of two sizes.
  func sum(_ one: UInt32, _ other: UInt32) throws(TraceError) -> UInt32 {
    let (sum, overflows) = one.addingReportingOverflow(other)
    guard !overflows else {
      throw error("\(one) + \(other) bytes are above \(UInt32.max), the largest size of a request")
    }
    return sum
  }
}

extension TextField {
  var text: String {
    String(decoding: UnsafeBufferPointer(start: next, count: count), as: UTF8.self)
  }
}

/// Splits a line of a table into fields, from left to right.
struct CsvSplitter {
  private var rest: TextField
  private let delimiter: UInt8
  /// True if another field follows, even an empty one.
  private var hasMore: Bool
  /// True for a quote that is not closed, or text between a quote and the delimiter.
  private(set) var isMalformed = false

  @inline(__always) init(_ line: TextField, delimiter: UInt8) {
    rest = line
    if delimiter == 0x20 { rest = line.trimmed }
    self.delimiter = delimiter
    hasMore = true
  }

  /// Next field, without surrounding blanks or quotes; nil after the last.
  ///
  /// Doubled quotes inside a quoted field stay doubled, because ids need not be unescaped.
  @inline(__always) mutating func next() -> TextField? {
    guard hasMore else { return nil }
    if delimiter != 0x20 { skipSpaces() }
    if !rest.isEmpty && rest.next.pointee == 0x22 { return quoted() }
    let start = rest.next
    while !rest.isEmpty, rest.next.pointee != delimiter { rest.skip() }
    var end = rest.next
    while end > start, end[-1] == 0x20 || (end[-1] == 0x09 && delimiter != 0x09) { end -= 1 }
    passDelimiter()
    return TextField(start, end)
  }

  /// Writes the next fields to `space` until it is full. Returns their number.
  @inline(__always) mutating func take(into space: UnsafeMutableBufferPointer<TextField>) -> Int {
    var count = 0
    while count < space.count, let field = next() {
      space[count] = field
      count += 1
    }
    return count
  }

  /// Reads a quoted field; `rest` begins with the quote.
  @inline(never) private mutating func quoted() -> TextField {
    rest.skip()
    let start = rest.next
    while !rest.isEmpty {
      if rest.next.pointee == 0x22 {
        let end = rest.next
        rest.skip()
        guard !rest.isEmpty, rest.next.pointee == 0x22 else {
          skipSpaces()
          if !rest.isEmpty && rest.next.pointee != delimiter { isMalformed = true }
          passDelimiter()
          return TextField(start, end)
        }
      }
      rest.skip()
    }
    isMalformed = true
    hasMore = false
    return TextField(start, rest.next)
  }

  @inline(__always) private mutating func skipSpaces() {
    while !rest.isEmpty, rest.next.pointee == 0x20, delimiter != 0x20 { rest.skip() }
  }

  @inline(__always) private mutating func passDelimiter() {
    hasMore = !rest.isEmpty
    if hasMore { rest.skip() }
    if delimiter == 0x20 {
      while !rest.isEmpty, rest.next.pointee == 0x20 { rest.skip() }
    }
  }
}
