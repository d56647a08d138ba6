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

/// Takes the fields of a line of a table off, from left to right.
struct CsvSplitter {
  private var rest: TextField
  private let delimiter: UInt8
  /// Another field follows, though nothing may be left.
  private var hasMore: Bool
  /// A quote was opened and not closed, or something stands between a quote and the delimiter.
  private(set) var isMalformed = false

  /// A splitter at the beginning of a line.
  @inline(__always) init(_ line: TextField, delimiter: UInt8) {
    rest = line
    if delimiter == 0x20 { rest = line.trimmed }
    self.delimiter = delimiter
    hasMore = true
  }

  /// The next field, without blanks or quotes around it; nil after the last.
  ///
  /// Doubled quotes inside a quoted field are left doubled: as an id it is as good a name.
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

  /// Puts the next fields into `space` until it is full. Returns how many there were.
  @inline(__always) mutating func take(into space: UnsafeMutableBufferPointer<TextField>) -> Int {
    var count = 0
    while count < space.count, let field = next() {
      space[count] = field
      count += 1
    }
    return count
  }

  /// A field in quotes; `rest` is at the first.
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
