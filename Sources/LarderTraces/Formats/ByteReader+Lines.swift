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
    try lines(tooLong: { throw $0 }, body)
  }

  /// The same for logs: a line of more than `lineLengthMaximum` bytes is passed over, in bounded
  /// memory, and told to `batch` as a bad one.
  @inline(__always)
  public func forEachLine(
    telling batch: RecordBatch, _ body: (TextField, Int) throws -> Bool
  ) throws {
    try lines(tooLong: { try batch.bad($0) }, body)
  }

  @inline(__always)
  private func lines(
    tooLong: (TraceError) throws -> Void, _ body: (TextField, Int) throws -> Bool
  ) throws {
    try passByteOrderMark()
    var number = 0
    while true {
      let start = unread.assumingMemoryBound(to: UInt8.self)
      var line = start
      let end = start + unreadCount
      while line < end, let found = memchr(line, 0x0A, end - line) {
        let newline = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
        number += 1
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

  @inline(never)
  private func passByteOrderMark() throws(TraceError) {
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
