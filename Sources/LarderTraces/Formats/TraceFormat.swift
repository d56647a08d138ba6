/// A format of trace files.
///
/// Adding one is a file in `Formats/` and a line in `FormatRegistry.standard`, or, in another
/// package, a call of `FormatRegistry.add`. A format is a value
/// without state: what it found out about one file is in the decoder it makes.
public protocol TraceFormat: Sendable {
  /// Name, layout and parameters, as users see them.
  var description: FormatDescription { get }

  /// How sure the format is that a file is its own, going by name and first bytes.
  func recognise(_ sample: FormatSample) -> FormatConfidence

  /// A decoder for the file that `sample` begins.
  ///
  /// - Throws: `ComponentError` for options that cannot be, `TraceError` when the file's beginning
  ///   shows that it cannot be read this way.
  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder
}

/// Turns the decompressed bytes of one file into records.
public protocol TraceDecoder: Sendable {
  /// The columns that the records fill.
  var columns: TraceColumns { get }

  /// All keys are below this number, when the file says so; nil otherwise.
  var keyLimit: Int? { get }

  /// How sizes of one object that differ are resolved, unless the user says so.
  var sizeRule: SizeRule { get }

  /// Whether requests that are out of order by time are put in order, within a window.
  var sortsTimes: Bool { get }

  /// How lines are understood where the decoder chose, in sentences for whoever checks it.
  var understanding: [String] { get }

  /// Sentences for whoever reads results: what was guessed, and which option says otherwise.
  var remarks: [String] { get }

  /// The share of the objects whose requests the file has; 1 for all.
  var samplingRate: Double { get }

  /// Whether a request whose size is not known has the size that its object had last, in this file
  /// or in another one of the trace; where nothing was told of the object, its own.
  var remembersSizes: Bool { get }

  /// Whether objects of this file cannot be matched with those of another one.
  var isOneOfAKind: Bool { get }

  /// Decodes from the first unread byte to the end, until the batch's sink wants no more.
  ///
  /// - Throws: `TraceError` with line or byte offset at the first thing that is wrong, and whatever
  ///   the sink throws.
  func decode(_ reader: ByteReader, into batch: RecordBatch) throws
}

extension TraceDecoder {
  /// Unknown, as it is for most formats.
  public var keyLimit: Int? { nil }

  /// Nothing was chosen.
  public var understanding: [String] { [] }

  /// Empty by default.
  public var remarks: [String] { [] }

  /// Every request keeps its own size.
  public var sizeRule: SizeRule { .logged }

  /// The order of the file is that of the requests.
  public var sortsTimes: Bool { false }

  /// All objects.
  public var samplingRate: Double { 1 }

  /// Sizes that are not known are resolved when the trace is prepared.
  public var remembersSizes: Bool { false }

  /// The same object has the same key in every file.
  public var isOneOfAKind: Bool { false }
}

/// How sure a format is that a file is its own.
public enum FormatConfidence: Int, Comparable, Sendable {
  /// It is not.
  case none
  /// It would decode, but so would much else.
  case possible
  /// The content has the marks of the format.
  case likely
  /// The name says so, or a magic number.
  case certain

  /// By certainty.
  public static func < (left: FormatConfidence, right: FormatConfidence) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// What users can know of a trace format.
public struct FormatDescription: Sendable, Hashable {
  /// The name for `--format`.
  public var name: String
  /// One line.
  public var summary: String
  /// The layout of a file, in a few lines, and how operations and times are read.
  public var layout: String
  /// Endings of file names (without the ending of a compression) by which it is recognised.
  public var suffixes: [String]
  /// Its options.
  public var parameters: [FormatParameter]

  /// A description; see the properties for the meaning of each part.
  public init(
    name: String, summary: String, layout: String, suffixes: [String],
    parameters: [FormatParameter] = []
  ) {
    self.name = name
    self.summary = summary
    self.layout = layout
    self.suffixes = suffixes
    self.parameters = parameters
  }
}

/// An option of a format.
public struct FormatParameter: Sendable, Hashable {
  /// The name before the `=`.
  public var name: String
  /// The value that holds when it is not given, as text; empty when there is none.
  public var fallback: String
  /// What it does, in a line.
  public var meaning: String

  /// A parameter; see the properties for the meaning of each part.
  public init(name: String, fallback: String, meaning: String) {
    self.name = name
    self.fallback = fallback
    self.meaning = meaning
  }

  /// For every format with sizes: leave out requests of size 0, as libCacheSim does.
  public static let skipZeroSize = FormatParameter(
    name: "skip-zero-size", fallback: "false",
    meaning: "true skips requests of size 0, as libCacheSim does")

  /// For logs and tables: how many lines may be unreadable.
  static let maxBad = FormatParameter(
    name: "max-bad", fallback: "1%",
    meaning: "share of lines that may be unreadable; they are counted and the first three shown")

  /// For formats with sizes: the rule for those of one object that differ.
  static func size(_ fallback: SizeRule, named name: String = "size") -> FormatParameter {
    FormatParameter(
      name: name, fallback: fallback.rawValue,
      meaning: """
        sizes of one object that differ: last-full, max, first, or logged (each request keeps its \
        own)
        """)
  }

  /// For text formats with times: the unit of the time column.
  public static let timeUnit = FormatParameter(
    name: "time-unit", fallback: "",
    meaning: "unit of the times: s, ms, us or ns; by default s, or what makes them of our days")
}

/// The options given to a format, checked against those it has.
public struct FormatOptions: Sendable {
  /// The format's name.
  public let format: String
  private let values: [String: String]

  /// The options of `spec`.
  ///
  /// - Throws: for one that the format does not have.
  public init(_ spec: ComponentSpec, of description: FormatDescription) throws(ComponentError) {
    format = description.name
    values = spec.values
    let known = description.parameters.map(\.name)
    for name in spec.values.keys.sorted() where !known.contains(name) {
      let list = known.isEmpty ? "it has none" : "it has \(known.joined(separator: ", "))"
      throw ComponentError(
        component: format, parameter: name, message: "no such option of this format: \(list)")
    }
  }

  /// The text of an option, nil when it was not given.
  public func text(_ name: String) -> String? { values[name] }

  /// A true or false option, nil when it was not given.
  public func flag(_ name: String) throws(ComponentError) -> Bool? {
    guard let text = values[name] else { return nil }
    guard let value = Bool(text.lowercased()) else {
      throw wrong(name, expected: "true or false")
    }
    return value
  }

  /// One of a set of words, nil when it was not given.
  public func choice<Choice: CaseIterable & RawRepresentable>(
    _ name: String, of type: Choice.Type
  ) throws(ComponentError) -> Choice? where Choice.RawValue == String {
    guard let text = values[name] else { return nil }
    guard let value = Choice(rawValue: text.lowercased()) else {
      let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw wrong(name, expected: "one of \(words)")
    }
    return value
  }

  /// The unit of times: the one that was given, or that which makes `values`, the first times of a
  /// file, times of our days, with a note on it.
  func timeUnit(of values: [String]) throws(ComponentError) -> (unit: TimeUnit, note: String?) {
    let name = FormatParameter.timeUnit.name
    if let unit = try choice(name, of: TimeUnit.self) { return (unit, nil) }
    let unit = TimeUnit.guess(values)
    let note = "Times are read as \(unit.rawValue), by their length: \(name)= says otherwise."
    return (unit, unit == .seconds ? nil : note)
  }

  /// A share such as `1%` or `0.01`, nil when it was not given.
  public func share(_ name: String) throws(ComponentError) -> Double? {
    guard let text = values[name] else { return nil }
    guard let share = FormatOptions.share(text) else {
      throw wrong(name, expected: "a share from 0 to 1, such as 1% or 0.01")
    }
    return share
  }

  /// The share that a text stands for; nil for anything but 0 to 1, or 0% to 100%.
  public static func share(_ text: some StringProtocol) -> Double? {
    let isPercent = text.hasSuffix("%")
    guard let number = Double(isPercent ? String(text.dropLast()) : String(text)) else {
      return nil
    }
    let share = isPercent ? number / 100 : number
    return (0...1).contains(share) ? share : nil
  }

  /// Words separated by commas, lower case, nil when they were not given.
  public func list(_ name: String) -> [String]? {
    values[name]?.split(separator: ",").map {
      String($0.drop { $0 == " " }).lowercased()
    }
  }

  /// The error for an option whose value cannot be.
  public func wrong(_ name: String, expected: String) -> ComponentError {
    ComponentError(
      component: format, parameter: name,
      message: "expected \(expected), found '\(values[name] ?? "")'")
  }
}

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

/// A decoder of records that all have the same number of bytes: any piece of a file can be decoded
/// without what is before it, and so in any thread.
protocol FixedWidthDecoder: TraceDecoder {
  /// Bytes of a record, at least 1.
  var recordSize: Int { get }

  /// Takes what is before the first record.
  ///
  /// - Throws: `TraceError` when it is not what it should be.
  func begin(_ reader: ByteReader) throws(TraceError)

  /// Decodes `count` records. Returns how many: fewer where the next one is damaged.
  func decode(
    _ bytes: UnsafeRawPointer, count: Int, into records: UnsafeMutablePointer<TraceRecord>
  ) -> Int

  /// What is wrong with a record at which `decode` ended.
  func damage(
    at bytes: UnsafeRawPointer, in path: String, offset: Int
  ) -> TraceError
}

extension FixedWidthDecoder {
  /// Nothing.
  func begin(_ reader: ByteReader) throws(TraceError) {}

  /// For decoders that understand whatever there is.
  func damage(at bytes: UnsafeRawPointer, in path: String, offset: Int) -> TraceError {
    TraceError("the record is damaged", in: path, at: .byte(offset))
  }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    try begin(reader)
    let size = recordSize
    while try reader.fill(atLeast: size) {
      let count = min(reader.unreadCount / size, RecordBatch.capacity)
      let decoded = decode(reader.unread, count: count, into: batch.records)
      guard decoded == count else {
        throw damage(
          at: reader.unread + decoded * size, in: reader.path,
          offset: reader.offset + decoded * size)
      }
      reader.consume(count * size)
      batch.count = count
      guard try batch.flush() else { return }
    }
    if let error = leftOver(reader.unreadCount, in: reader.path, offset: reader.offset) {
      throw error
    }
  }

  /// What to say of the bytes behind the last whole record; nil where there are none.
  func leftOver(_ count: Int, in path: String, offset: Int) -> TraceError? {
    guard count > 0 else { return nil }
    return TraceError(
      "the last record has \(count) of \(recordSize) bytes", in: path, at: .byte(offset),
      advice: "the file is truncated or has another format")
  }
}
