import LarderEngine
import LarderLibc

/// A buffer over a `ByteSource`: decoders read the unread bytes, consume the ones they have
/// decoded, and ask for more.
public final class ByteReader {
  /// Path for error messages.
  public let path: String
  /// Address of the first unread byte.
  public private(set) var unread: UnsafeRawPointer
  /// Number of unread bytes in the buffer.
  public private(set) var unreadCount = 0
  /// Offset of the first unread byte in the decompressed stream.
  public private(set) var offset = 0
  /// True if the source has no more bytes.
  public private(set) var isAtEnd = false
  var nulsPassed = 0
  var remarks: [String] { source.remarks }

  /// Fits the L2 cache of any current processor together with a batch of records.
  private static let initialCapacity = 256 << 10

  private let source: any ByteSource
  private var memory: UnsafeMutableRawBufferPointer

  init(_ source: any ByteSource, path: String) {
    self.source = source
    self.path = path
    memory = .allocate(byteCount: ByteReader.initialCapacity, alignment: 64)
    unread = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
  }

  deinit { memory.deallocate() }

  /// The unread bytes in the buffer.
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: unread, count: unreadCount)
  }

  /// Consumes `count` unread bytes.
  @inline(__always) public func consume(_ count: Int) {
    assert(count <= unreadCount)
    unread += count
    unreadCount -= count
    offset += count
  }

  /// Reads until `count` unread bytes are in the buffer; false if the source ends before that.
  /// - Complexity: O(bytes moved and read).
  public func fill(atLeast count: Int) throws(TraceError) -> Bool {
    while unreadCount < count { guard try fillMore() else { return false } }
    return true
  }

  /// Reads more bytes after the unread ones, enlarging a full buffer; false at the end of the
  /// source.
  public func fillMore() throws(TraceError) -> Bool {
    guard !isAtEnd else { return false }
    makeRoom()
    let start = unread - UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped)
    let space = UnsafeMutableRawBufferPointer(rebasing: memory[(start + unreadCount)...])
    let got = try source.read(into: space)
    unreadCount += got
    isAtEnd = got == 0
    return got > 0
  }

  func take(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    var taken = min(unreadCount, space.count)
    space.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
    consume(taken)
    while taken < space.count, !isAtEnd {
      let got = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: space[taken...]))
      taken += got
      offset += got
      isAtEnd = got == 0
    }
    return taken
  }

  private func makeRoom() {
    let base = memory.baseAddress.unsafelyUnwrapped
    if unreadCount == memory.count {
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: memory.count * 2, alignment: 64)
      larger.copyMemory(from: bytes)
      memory.deallocate()
      memory = larger
      unread = UnsafeRawPointer(larger.baseAddress.unsafelyUnwrapped)
    } else if unread != UnsafeRawPointer(base) {
      base.copyMemory(from: unread, byteCount: unreadCount)
      unread = UnsafeRawPointer(base)
    }
  }
}

/// A stream of bytes that is read once, from the beginning: a file or the output of a decompressor.
protocol ByteSource: AnyObject {
  /// Writes the next bytes to the start of `space`, which is not empty: their number, 0 at the end.
  func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int

  var remarks: [String] { get }
}

extension ByteSource {
  var remarks: [String] { [] }
}

enum ByteOrderMark {
  static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func isUTF16(_ bytes: some Sequence<UInt8>) -> Bool {
    bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
  }

  static func utf16Error(_ path: String) -> TraceError {
    TraceError(
      "expected UTF-8 text, found UTF-16", in: path, at: .byte(0),
      advice: "convert it: iconv -f UTF-16 -t UTF-8")
  }
}

extension ByteReader {
  /// Maximum length of a line in bytes; longer ones are not lines of a trace.
  public static let lineLengthMaximum = 1 << 20

  /// Calls `body` with every line, without its end (`\n` or `\r\n`), and its number from 1, until
  /// `body` returns false. The last line need not have an end.
  /// - Throws: for UTF-16, and any error of `body`.
  @inline(__always) public func forEachLine(
    telling batch: RecordBatch, _ body: (TextField, Int) throws -> Bool
  ) throws {
    try passNULs()
    _ = try fill(atLeast: ByteOrderMark.utf8.count)
    if ByteOrderMark.isUTF16(bytes) { throw ByteOrderMark.utf16Error(path) }
    var number = 0
    defer { batch.noteLines(number) }
    while true {
      let start = unread.assumingMemoryBound(to: UInt8.self)
      var line = start
      let end = start + unreadCount
      // Searched once per buffer, not per line.
      var nul = ByteReader.firstNUL(line, end)
      while line < end {
        if line == nul {
          line = pastNULs(line, end)
          nul = ByteReader.firstNUL(line, end)
          continue
        }
        let found = memchr(line, 0x0A, end - line)
        if found == nil, nul == end { break }
        let newline = found.map { UnsafePointer($0.assumingMemoryBound(to: UInt8.self)) } ?? end
        number += 1
        if nul < newline {
          guard try body(TextField(line, nul), number) else { return }
          line = nul
          continue
        }
        let text = ByteReader.pastMark(line, newline)
        guard try body(TextField(text, ByteReader.trimmed(text, newline)), number) else { return }
        line = newline + 1
      }
      consume(line - start)
      if unreadCount > ByteReader.lineLengthMaximum {
        number += 1
        try batch.bad(
          TraceError(
            "the line is longer than \(ByteReader.lineLengthMaximum) bytes", in: path,
            at: .line(number), advice: "is this a text trace?"))
        if try passLine() { continue } else { break }
      }
      if try fillMore() { continue }
      if unreadCount > 0 {
        let last = unread.assumingMemoryBound(to: UInt8.self)
        let end = last + unreadCount
        batch.isInUnendedLine = true
        number += 1
        let text = ByteReader.pastMark(last, end)
        _ = try body(TextField(text, ByteReader.trimmed(text, end)), number)
        consume(unreadCount)
      }
      break
    }
    if nulsPassed > 0 { batch.note(nulsPassed: nulsPassed, in: path) }
  }

  @inline(never) private func passLine() throws(TraceError) -> Bool {
    while true {
      if let found = memchr(unread, 0x0A, unreadCount) {
        consume(UnsafeRawPointer(found) - unread + 1)
        return true
      }
      consume(unreadCount)
      guard try fillMore() else { return false }
    }
  }

  @inline(never) private static func firstNUL(
    _ line: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    guard line < end, let found = memchr(line, 0, end - line) else { return end }
    return UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
  }

  @inline(never) private func pastNULs(
    _ line: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    var next = line
    while next < end, next.pointee == 0 { next += 1 }
    nulsPassed += next - line
    return next
  }

  func passNULs() throws(TraceError) {
    while try fill(atLeast: 1) {
      let nuls = bytes.prefix { $0 == 0 }.count
      if nuls == 0 { return }
      nulsPassed += nuls
      consume(nuls)
    }
  }

  @inline(__always) static func pastMark(
    _ line: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    guard line < end, line[0] == 0xEF, end - line >= 3, line[1] == 0xBB, line[2] == 0xBF else {
      return line
    }
    return line + 3
  }

  @inline(__always) private static func trimmed(
    _ line: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8> {
    end > line && end[-1] == 0x0D ? end - 1 : end
  }
}
