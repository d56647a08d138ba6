#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Lines of a log that are texts in JSON lines, as Docker's json-file driver and log shippers keep
/// them.
struct InnerLines: Sendable {
  /// Keys that hold lines, surest first.
  static let names = [
    "log", "message", "msg", "@message", "textPayload", "event.original", "line", "log.message",
  ]

  /// The key of the lines, with dots into inner objects.
  let key: String
  /// A line that does not end in a newline goes on in the next one, as Docker writes long ones.
  let hasNewlines: Bool

  /// Lines under `key`, judged by the first lines of a file.
  init(_ key: JSONKeys.Key) {
    self.key = key.name
    hasNewlines = key.values.contains { $0.last == 0x0A }
  }

  /// The beginning of the inner log.
  func sample(of sample: FormatSample, _ lines: [ArraySlice<UInt8>]) -> FormatSample {
    var reader = Reader(self)
    var head: [UInt8] = []
    for line in lines { Array(line).withField { reader.append($0, to: &head) } }
    var inner = FormatSample(path: sample.path, head: head, isWhole: true)
    // Endings of names are those of the file that holds the lines.
    inner.name = ""
    return inner
  }

  /// Takes lines out of JSON.
  struct Reader {
    private let scanner: JSONLineScanner
    private let hasNewlines: Bool
    /// Lines that were parts of one: as many blank ones keep the numbers of lines right.
    private var parts = 0

    init(_ lines: InnerLines) {
      scanner = JSONLineScanner([lines.key])
      hasNewlines = lines.hasNewlines
    }

    /// Adds the inner line of a line with its end; a line without one as it stands.
    mutating func append(_ line: TextField, to bytes: inout [UInt8]) {
      guard scanner.scan(line), !scanner.value(0).isEmpty else {
        bytes.append(contentsOf: UnsafeBufferPointer(start: line.next, count: line.count))
        bytes.append(0x0A)
        return
      }
      var text = scanner.value(0)
      let isWhole = text.end[-1] == 0x0A || !hasNewlines
      while !text.isEmpty, text.end[-1] == 0x0A || text.end[-1] == 0x0D {
        text = TextField(text.next, text.end - 1)
      }
      for byte in UnsafeBufferPointer(start: text.next, count: text.count) {
        bytes.append(byte == 0x0A ? 0x20 : byte)
      }
      if isWhole { end(&bytes) } else { parts += 1 }
    }

    /// Ends a line, and those that were parts of it.
    mutating func end(_ bytes: inout [UInt8]) {
      bytes.append(contentsOf: repeatElement(0x0A, count: parts + 1))
      parts = 0
    }

    /// True between the parts of a line.
    var isOpen: Bool { parts > 0 }
  }
}

/// The inner lines of a file as a stream of bytes.
final class InnerLineSource: ByteSource {
  private let outer: ByteReader
  private var lines: InnerLines.Reader
  private var bytes: [UInt8] = []
  private var start = 0
  private var isFirst = true

  init(_ outer: ByteReader, _ lines: InnerLines) {
    self.outer = outer
    self.lines = InnerLines.Reader(lines)
  }

  func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      start = 0
      while bytes.count < 64 << 10, try takeLine() {}
    }
    let count = min(space.count, bytes.count - start)
    bytes.withUnsafeBytes { all in
      space.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start..<start + count]))
    }
    start += count
    return count
  }

  /// Takes the next line; false at the end.
  private func takeLine() throws(TraceError) -> Bool {
    while true {
      let next = outer.unread.assumingMemoryBound(to: UInt8.self)
      if let found = memchr(next, 0x0A, outer.unreadCount) {
        let newline = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
        add(TextField(next, newline))
        outer.consume(newline + 1 - next)
        return true
      }
      // A line that is too long to be one is passed on as it stands, and told of there.
      if outer.unreadCount > ByteReader.lineLengthMaximum {
        bytes.append(contentsOf: UnsafeBufferPointer(start: next, count: outer.unreadCount))
        outer.consume(outer.unreadCount)
        return true
      }
      if try outer.fillMore() { continue }
      guard outer.unreadCount > 0 else {
        if lines.isOpen { lines.end(&bytes) }
        return false
      }
      add(TextField(next, next + outer.unreadCount))
      outer.consume(outer.unreadCount)
      return true
    }
  }

  private func add(_ line: TextField) {
    var line = line
    if isFirst, line.starts(with: Array(ByteOrderMark.utf8)) {
      line = TextField(line.next + ByteOrderMark.utf8.count, line.end)
    }
    isFirst = false
    if !line.isEmpty, line.end[-1] == 0x0D { line = TextField(line.next, line.end - 1) }
    lines.append(line, to: &bytes)
  }
}

/// Decodes a log whose lines are texts in JSON lines.
struct InnerLinesDecoder: TraceDecoder {
  let lines: InnerLines
  /// The format of the inner lines.
  let format: String
  let decoder: any TraceDecoder

  var columns: TraceColumns { decoder.columns }
  var keyLimit: Int? { decoder.keyLimit }
  var sizeRule: SizeRule { decoder.sizeRule }
  var sortsTimes: Bool { decoder.sortsTimes }
  var understanding: [String] { [sentence] + decoder.understanding }

  private var sentence: String {
    "log lines are the texts of the key \(JSONKeys.list([lines.key])), in the format \(format)"
  }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    batch.note("JSON lines: \(sentence).")
    let inner = ByteReader(InnerLineSource(reader, lines), path: reader.path)
    try decoder.decode(inner, into: batch)
  }
}
