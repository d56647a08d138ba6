extension TextField {
  var text: String {
    String(decoding: UnsafeBufferPointer(start: next, count: count), as: UTF8.self)
  }
}

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

  /// Number of fields in a line; 0 for a malformed one.
  static func fields(in line: TextField, delimiter: UInt8) -> Int {
    var (splitter, count) = (CsvSplitter(line, delimiter: delimiter), 0)
    while splitter.next() != nil { count += 1 }
    return splitter.isMalformed ? 0 : count
  }

  /// Next field, without surrounding blanks or quotes; nil after the last.
  @inline(__always) mutating func next() -> TextField? {
    guard hasMore else { return nil }
    if delimiter != 0x20 { skipSpaces() }
    if !rest.isEmpty && rest.next.pointee == 0x22 { return quoted() }
    let start = rest.next
    while !rest.isEmpty, !isDelimiter(rest.next.pointee) { rest.skip() }
    var end = rest.next
    while end > start, end[-1] == 0x20 || (end[-1] == 0x09 && delimiter != 0x09) { end -= 1 }
    passDelimiter()
    return TextField(start, end)
  }

  @inline(__always) mutating func take(into space: UnsafeMutableBufferPointer<TextField>) -> Int {
    var count = 0
    while count < space.count, let field = next() {
      space[count] = field
      count += 1
    }
    return count
  }

  @inline(never) private mutating func quoted() -> TextField {
    rest.skip()
    let start = rest.next
    while !rest.isEmpty {
      if rest.next.pointee == 0x22 {
        let end = rest.next
        rest.skip()
        // Between blanks, text may follow a quote, as `\"` in logs.
        if delimiter == 0x20, !rest.isEmpty, rest.next.pointee != 0x22,
          end > start && end[-1] == 0x5C || !isDelimiter(rest.next.pointee)
        {
          continue
        }
        guard !rest.isEmpty, rest.next.pointee == 0x22 else {
          skipSpaces()
          if !rest.isEmpty && !isDelimiter(rest.next.pointee) { isMalformed = true }
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
    if delimiter == 0x20 { while !rest.isEmpty, isDelimiter(rest.next.pointee) { rest.skip() } }
  }

  @inline(__always) private func isDelimiter(_ byte: UInt8) -> Bool {
    byte == delimiter || (byte == 0x09 && delimiter == 0x20)
  }
}
