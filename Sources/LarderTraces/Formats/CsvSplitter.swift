/// Takes the fields of a line of a table off, from left to right.
struct CsvSplitter {
  private var rest: TextField
  private let delimiter: UInt8
  /// Another field follows, though nothing may be left.
  private var hasMore: Bool
  /// A quote was opened and not closed, or something stands between a quote and the delimiter.
  private(set) var isMalformed = false

  /// A splitter at the beginning of a line.
  @inline(__always)
  init(_ line: TextField, delimiter: UInt8) {
    rest = line
    if delimiter == 0x20 { rest = line.trimmed }
    self.delimiter = delimiter
    hasMore = true
  }

  /// The next field, without blanks or quotes around it; nil after the last.
  ///
  /// Doubled quotes inside a quoted field are left doubled: as an id it is as good a name.
  @inline(__always)
  mutating func next() -> TextField? {
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
  @inline(__always)
  mutating func take(into space: UnsafeMutableBufferPointer<TextField>) -> Int {
    var count = 0
    while count < space.count, let field = next() {
      space[count] = field
      count += 1
    }
    return count
  }

  /// A field in quotes; `rest` is at the first.
  @inline(never)
  private mutating func quoted() -> TextField {
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

  @inline(__always)
  private mutating func skipSpaces() {
    while !rest.isEmpty, rest.next.pointee == 0x20, delimiter != 0x20 { rest.skip() }
  }

  @inline(__always)
  private mutating func passDelimiter() {
    hasMore = !rest.isEmpty
    if hasMore { rest.skip() }
    if delimiter == 0x20 {
      while !rest.isEmpty, rest.next.pointee == 0x20 { rest.skip() }
    }
  }
}
