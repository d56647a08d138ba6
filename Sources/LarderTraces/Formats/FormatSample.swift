/// What there is to recognise a format by: a file's name and how its content begins.
public struct FormatSample: Sendable {
  /// The path as given, for errors.
  public var path: String
  /// Lower case, without folders and without the ending of a compression.
  public var name: String
  /// The first decompressed bytes, up to `FormatSample.length`.
  public var head: [UInt8]
  /// The head is the whole file.
  public var isWhole: Bool

  /// How many bytes are looked at.
  public static let length = 64 << 10

  /// A sample from its parts.
  public init(path: String, head: [UInt8], isWhole: Bool) {
    self.path = path
    name = Compression.baseName(ofPath: path).lowercased()
    self.head = head
    self.isWhole = isWhole
  }

  /// The beginning of what a reader has not taken. NULs are left out where the rest is text: those
  /// in front, however many there are, are taken from the reader.
  init(path: String, _ reader: ByteReader) throws(TraceError) {
    var isLonger = try reader.fill(atLeast: FormatSample.length)
    var head = Array(reader.bytes.prefix(FormatSample.length))
    if isLonger, !head.contains(where: { $0 != 0 }) {
      try reader.passNULs()
      isLonger = try reader.fill(atLeast: FormatSample.length)
      head = Array(reader.bytes.prefix(FormatSample.length))
    }
    self.init(path: path, head: FormatSample.withoutNULs(head), isWhole: !isLonger)
  }

  /// The bytes without NULs where the rest is lines of text, as in a log that was truncated while
  /// it was written; the bytes as they are otherwise.
  private static func withoutNULs(_ head: [UInt8]) -> [UInt8] {
    guard head.contains(0) else { return head }
    // Numbers of a few bytes have single NULs between them, and so has UTF-16.
    let runs = head.split(separator: 0)
    let rest = Array(runs.joined())
    guard runs.count == 1 || runs.count * 16 <= rest.count, let end = rest.lastIndex(of: 0x0A),
      FormatSample(path: "", head: rest, isWhole: true).isText,
      !String(decoding: rest[..<end], as: UTF8.self).unicodeScalars.contains("\u{FFFD}")
    else { return head }
    return rest
  }

  /// Whether the name ends in one of `suffixes`.
  public func isNamed(_ suffixes: [String]) -> Bool {
    suffixes.contains { name.hasSuffix($0.lowercased()) }
  }

  /// Whether the head could be text: no control characters but white space.
  public var isText: Bool {
    !head.contains { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D && $0 != 0x0C }
  }

  /// The first complete lines that are not blank, up to `limit`, without line ends and without a
  /// byte order mark.
  public func lines(_ limit: Int = 100) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = head.starts(with: ByteOrderMark.utf8) ? head[3...] : head[...]
    while lines.count < limit, !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0A)
      if end == nil && !isWhole { break }
      var line = rest[..<(end ?? rest.endIndex)]
      rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
      if line.last == 0x0D { line.removeLast() }
      if line.contains(where: { $0 != 0x20 && $0 != 0x09 }) { lines.append(line) }
    }
    return lines
  }

  /// The fields of a column, from 0, in the first lines.
  func column(_ column: Int, delimiter: UInt8 = UInt8(ascii: ",")) -> [String] {
    lines().compactMap { line in
      let fields = line.split(
        separator: delimiter, omittingEmptySubsequences: delimiter == 0x20)
      return column < fields.count ? String(decoding: fields[column], as: UTF8.self) : nil
    }
  }

  /// The little-endian integer at `offset` of the head, nil when it is not all there.
  public func integer<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value? {
    guard offset >= 0, offset + MemoryLayout<Value>.size <= head.count else { return nil }
    return head.withUnsafeBytes {
      Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type))
    }
  }
}
