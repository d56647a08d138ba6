import LarderEngine

/// A format of trace files.
public protocol TraceFormat: Sendable {
  /// Name, layout and parameters, as users see them.
  var description: FormatDescription { get }

  /// Confidence that a file has this format, by its name and first bytes.
  func recognise(_ sample: FormatSample) -> FormatConfidence

  /// Returns a decoder for the file that begins with `sample`.
  /// - Throws: `ComponentError` for invalid options, `TraceError` when the beginning of the file
  ///   does not have this format.
  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder
}

/// Decodes the decompressed bytes of one file into records.
public protocol TraceDecoder: Sendable {
  /// Columns that the records fill.
  var columns: TraceColumns { get }
  /// Upper bound of all keys, exclusive; nil if the file does not give one.
  var keyLimit: Int? { get }
  /// Default rule for resolving different sizes of one object.
  var sizeRule: SizeRule { get }
  /// True to sort out-of-order requests by time, within a window.
  var sortsTimes: Bool { get }
  /// Inferred parsing rules in sentences, for inspection.
  var understanding: [String] { get }
  /// Notes for readers of results: inferences, and the options that override them.
  var remarks: [String] { get }
  /// Share of the objects whose requests the file has; 1 for all.
  var samplingRate: Double { get }
  /// True to fill unknown sizes with the object's last known size, in this or another file of the
  /// trace; a request of an object without a known size keeps its own.
  var remembersSizes: Bool { get }
  /// True if sets may belong to the get before them: a set after a miss of its key, and one that is
  /// marked, are the end of that get.
  var foldsFills: Bool { get }
  /// True if the keys are private to the file and cannot be matched with those of other files.
  var isOneOfAKind: Bool { get }

  /// Decodes from the first unread byte to the end, until the batch's sink stops.
  /// - Throws: `TraceError` with line or byte offset at the first error, and any error of the sink.
  func decode(_ reader: ByteReader, into batch: RecordBatch) throws
}

extension TraceDecoder {
  /// Defaults to nil.
  public var keyLimit: Int? { nil }
  /// Empty by default.
  public var understanding: [String] { [] }
  /// Empty by default.
  public var remarks: [String] { [] }
  /// Defaults to `logged`: every request keeps its own size.
  public var sizeRule: SizeRule { .logged }
  /// Defaults to false: requests stay in the order of the file.
  public var sortsTimes: Bool { false }
  /// Defaults to 1: all objects.
  public var samplingRate: Double { 1 }
  /// Defaults to false: unknown sizes are resolved when the trace is prepared.
  public var remembersSizes: Bool { false }
  /// Defaults to false: every set is a request of its own.
  public var foldsFills: Bool { false }
  /// Defaults to false: an object has one key in all files.
  public var isOneOfAKind: Bool { false }
}

/// Confidence of a format that a file belongs to it.
public enum FormatConfidence: Int, Comparable, Sendable {
  /// The file does not have the format.
  case none
  /// The file can be decoded, but so can many other files.
  case possible
  /// The content has the marks of the format.
  case likely
  /// The file name or a magic number identifies the format.
  case certain

  /// Orders by confidence.
  public static func < (left: FormatConfidence, right: FormatConfidence) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Name, layout and options of a trace format, for help and docs.
public struct FormatDescription: Sendable, Hashable {
  /// Name for `--format`.
  public var name: String
  /// Summary in one line.
  public var summary: String
  /// Layout of a file, in a few lines, and the meaning of operations and times.
  public var layout: String
  /// Suffixes of file names (before that of a compression) by which the format is recognised.
  public var suffixes: [String]
  /// Options of the format.
  public var parameters: [Parameter]

  /// Creates a description; see the properties for the meaning of each part.
  public init(
    name: String, summary: String, layout: String, suffixes: [String],
    parameters: [Parameter] = []
  ) {
    (self.name, self.summary, self.layout, self.suffixes) = (name, summary, layout, suffixes)
    self.parameters = parameters
  }
}

extension TraceFormat {
  /// The options of a spec, or none.
  /// - Throws: for an option that the format does not have.
  public func options(_ spec: ComponentSpec? = nil) throws(ComponentError) -> ParameterReader {
    try ParameterReader(
      spec ?? ComponentSpec(name: description.name), parameters: description.parameters)
  }
}

extension Parameter {
  /// Option of formats with sizes: skip requests of size 0, as libCacheSim does.
  public static let skipZeroSize = Parameter(
    "skip-zero-size", .flag, default: "false",
    "true skips requests of size 0, as libCacheSim does")

  static let maxBad = Parameter(
    "max-bad", .share, default: "1%",
    "largest share of unreadable lines; they are counted and the first three shown")

  static func size(_ fallback: SizeRule, named name: String = "size") -> Parameter {
    Parameter(
      name, default: fallback.rawValue,
      """
      size of an object with several sizes: last-full, max, first, or logged (each request keeps
      its own)
      """)
  }

  /// Option of text formats with times: the unit of the time column.
  public static let timeUnit = Parameter(
    "time-unit", default: "",
    "unit of the times: s, ms, us or ns; by default s, or the unit that gives a plausible date")
}

extension ParameterReader {
  /// Unit of times: the given one, or the one that puts `values`, the first times of a file, into
  /// the present, with a note on it.
  func timeUnit(of values: [String]) throws(ComponentError) -> (unit: TimeUnit, note: String?) {
    let name = Parameter.timeUnit.name
    if let unit = try choice(name, of: TimeUnit.self) { return (unit, nil) }
    let unit = TimeUnit.guess(values)
    let note = "Times are read as \(unit.rawValue), by their length; \(name)= changes this."
    return (unit, unit == .seconds ? nil : note)
  }
}

/// Name and first bytes of a file, for recognising its format.
public struct FormatSample: Sendable {
  /// Path as given, for error messages.
  public var path: String
  /// Name in lower case, without folders and compression suffix.
  public var name: String
  /// First decompressed bytes, up to `FormatSample.length`.
  public var head: [UInt8]
  /// True if the head is the complete file.
  public var isWhole: Bool

  /// Maximum length of the head.
  public static let length = 64 << 10

  /// Creates a sample from its parts.
  public init(path: String, head: [UInt8], isWhole: Bool) {
    self.path = path
    name = Compression.baseName(ofPath: path).lowercased()
    self.head = head
    self.isWhole = isWhole
  }

  /// The unread beginning of a reader's bytes. NULs are removed from text; leading ones, in any
  /// number, are consumed from the reader.
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

  /// Bytes without NULs if the rest is lines of text, as in a log that was truncated while it was
  /// written; the bytes unchanged otherwise.
  private static func withoutNULs(_ head: [UInt8]) -> [UInt8] {
    guard head.contains(0) else { return head }
    // Numbers of a few bytes have single NULs between them, and so does UTF-16.
    let runs = head.split(separator: 0)
    let rest = Array(runs.joined())
    guard runs.count == 1 || runs.count * 16 <= rest.count, let end = rest.lastIndex(of: 0x0A),
      FormatSample(path: "", head: rest, isWhole: true).isText,
      !String(decoding: rest[..<end], as: UTF8.self).unicodeScalars.contains("\u{FFFD}")
    else { return head }
    return rest
  }

  /// True if the name ends in one of `suffixes`.
  public func isNamed(_ suffixes: [String]) -> Bool {
    suffixes.contains { name.hasSuffix($0.lowercased()) }
  }

  /// True if the head can be text: no control characters except white space.
  public var isText: Bool {
    !head.contains { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D && $0 != 0x0C }
  }

  /// First complete lines that are not blank, up to `limit`, without line ends and byte order
  /// marks. After some, a last line without an end is left out: it may have been cut.
  public func lines(_ limit: Int = 100) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var rest = head[...]
    while lines.count < limit, !rest.isEmpty {
      let end = rest.firstIndex(of: 0x0A)
      if end == nil, !isWhole || lines.count > 2 { break }
      var line = rest[..<(end ?? rest.endIndex)]
      rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
      if line.last == 0x0D { line.removeLast() }
      if line.starts(with: ByteOrderMark.utf8) { line.removeFirst(3) }
      if line.contains(where: { $0 != 0x20 && $0 != 0x09 }) { lines.append(line) }
    }
    return lines
  }

  func column(_ column: Int, delimiter: UInt8 = UInt8(ascii: ",")) -> [String] {
    lines().compactMap { line in
      let fields = line.split(separator: delimiter, omittingEmptySubsequences: delimiter == 0x20)
      return column < fields.count ? String(decoding: fields[column], as: UTF8.self) : nil
    }
  }

  /// The little-endian integer at `offset` of the head; nil if the head is too short.
  public func integer<Value: FixedWidthInteger>(at offset: Int, as type: Value.Type) -> Value? {
    guard offset >= 0, offset + MemoryLayout<Value>.size <= head.count else { return nil }
    return head.withUnsafeBytes {
      Value(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type))
    }
  }
}
