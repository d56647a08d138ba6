#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension ByteReader {
  /// The longest line that is read: what is longer is not a line of a trace.
  public static let lineLengthMaximum = 1 << 20

  /// Hands every line to `body`, with its number from 1, without its end (`\n` or `\r\n`), until
  /// `body` returns false. The last line need not have an end.
  ///
  /// A byte order mark at the beginning of the file is passed over.
  ///
  /// - Throws: for UTF-16, at a line of more than `lineLengthMaximum` bytes, and what `body`
  ///   throws.
  @inline(__always)
  public func forEachLine(_ body: (TextField, Int) throws -> Bool) throws {
    try lines(telling: nil, tooLong: { throw $0 }, body)
  }

  /// Passes every line to `body` as `forEachLine(_:)` does, for formats that may have bad lines: a
  /// line of more than `lineLengthMaximum` bytes is one, a last line without an end that cannot be
  /// read is none, and NULs, which stand where a log was truncated while it was written, end a
  /// line and are passed over. `batch` counts the lines, and notes what was passed over.
  @inline(__always)
  public func forEachLine(
    telling batch: RecordBatch, _ body: (TextField, Int) throws -> Bool
  ) throws {
    var last = 0
    defer { batch.noteLines(last) }
    try lines(
      telling: batch, tooLong: { try batch.bad($0) },
      { line, number in
        last = number
        return try body(line, number)
      })
    if nulsPassed > 0 { batch.note(nulsPassed: nulsPassed, in: path) }
  }

  @inline(__always)
  private func lines(
    telling batch: RecordBatch?, tooLong: (TraceError) throws -> Void,
    _ body: (TextField, Int) throws -> Bool
  ) throws {
    try passByteOrderMark(passingNULs: batch != nil)
    var number = 0
    while true {
      let start = unread.assumingMemoryBound(to: UInt8.self)
      var line = start
      let end = start + unreadCount
      // Looked for once in the buffer, not in every line.
      var nul = batch == nil ? end : ByteReader.firstNUL(line, end)
      while line < end {
        if line == nul {
          line = pastNULs(line, end)
          nul = ByteReader.firstNUL(line, end)
          continue
        }
        guard let found = memchr(line, 0x0A, end - line) else {
          if nul == end { break }
          number += 1
          guard try body(TextField(line, nul), number) else { return }
          line = nul
          continue
        }
        let newline = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
        number += 1
        if nul < newline {
          guard try body(TextField(line, nul), number) else { return }
          line = nul
          continue
        }
        guard try body(TextField(line, ByteReader.trimmed(line, newline)), number) else { return }
        line = newline + 1
      }
      consume(line - start)
      if unreadCount > ByteReader.lineLengthMaximum {
        number += 1
        try tooLong(
          TraceError(
            "the line is longer than \(ByteReader.lineLengthMaximum) bytes", in: path,
            at: .line(number), advice: "is this a text trace?"))
        guard try passLine() else { return }
        continue
      }
      if try fillMore() { continue }
      if unreadCount > 0 {
        let last = unread.assumingMemoryBound(to: UInt8.self)
        let end = last + unreadCount
        batch?.isInUnendedLine = true
        _ = try body(TextField(last, ByteReader.trimmed(last, end)), number + 1)
        consume(unreadCount)
      }
      return
    }
  }

  /// Passes over the rest of a line; false when the source ends before it.
  @inline(never)
  private func passLine() throws(TraceError) -> Bool {
    while true {
      if let found = memchr(unread, 0x0A, unreadCount) {
        consume(UnsafeRawPointer(found) - unread + 1)
        return true
      }
      consume(unreadCount)
      guard try fillMore() else { return false }
    }
  }

  /// The first NUL; `end` where there is none.
  @inline(never)
  private static func firstNUL(
    _ line: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    guard line < end, let found = memchr(line, 0, end - line) else { return end }
    return UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
  }

  /// The first byte behind NULs, which are counted.
  @inline(never)
  private func pastNULs(
    _ line: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    var next = line
    while next < end, next.pointee == 0 { next += 1 }
    nulsPassed += next - line
    return next
  }

  /// Takes the NULs in front off, however many there are, and counts them.
  func passNULs() throws(TraceError) {
    while try fill(atLeast: 1) {
      let nuls = bytes.prefix { $0 == 0 }.count
      if nuls == 0 { return }
      nulsPassed += nuls
      consume(nuls)
    }
  }

  @inline(never)
  private func passByteOrderMark(passingNULs: Bool) throws(TraceError) {
    if passingNULs { try passNULs() }
    _ = try fill(atLeast: ByteOrderMark.utf8.count)
    if bytes.starts(with: ByteOrderMark.utf8) { consume(ByteOrderMark.utf8.count) }
    if ByteOrderMark.isUTF16(bytes) { throw ByteOrderMark.utf16Error(path) }
  }

  /// The end of a line without a carriage return before it.
  @inline(__always)
  private static func trimmed(
    _ line: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    end > line && end[-1] == 0x0D ? end - 1 : end
  }
}
