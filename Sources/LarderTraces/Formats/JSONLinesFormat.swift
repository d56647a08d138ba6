import LarderEngine
import LarderLibc

struct JSONLinesFormat: TraceFormat {
  /// True for tables with a header, whose columns are read as the keys of JSON lines.
  let isTable: Bool
  let description: FormatDescription

  static let lines = JSONLinesFormat(
    isTable: false, name: "json-lines",
    summary:
      "logs with a JSON object or logfmt per line: Caddy, Traefik, Envoy, nginx, ECS, clouds",
    layout: """
      Text, one JSON object per line, also after the prefix of syslog or a container, an array of
      objects in any number of lines, or logfmt (time=... status=200). Keys are named with a dot
      into inner objects, as in id=request.uri:size=resp.bytes; others are found by the names of
      servers, clouds and loggers, without case and signs. A note lists the keys found. Times: a
      date, or a number since 1970 in the unit that gives a plausible date (or in time-unit). Costs:
      in the unit of key or value (or in cost-unit). Lines of a log in JSON, as of Docker, are read
      in their own format. Gets, sizes, TTLs and costs as in `combined`; in a cache's own log (an id
      or an operation, and no status) as in `csv`.
      """,
    suffixes: [".jsonl", ".ndjson", ".json-lines"])

  static let table = JSONLinesFormat(
    isTable: true, name: "web-table",
    summary: "web logs as a table with a header: Logpush, GCS, and exports of CloudWatch or Splunk",
    layout: """
      Text with a header, fields separated by commas, tabs, semicolons or pipes, and in quotes if
      they contain them. Columns are found by the names that `json-lines` knows, and named by the
      same options. A table is recognised by columns of a URL or path and of a status, or by one of
      whole log lines (@message, _raw ...), which are read in their own format. A response that must
      not be stored bypasses the cache; gets, sizes, TTLs and costs as in `combined`.
      """,
    suffixes: [".web-table"])

  private init(isTable: Bool, name: String, summary: String, layout: String, suffixes: [String]) {
    self.isTable = isTable
    description = FormatDescription(
      name: name, summary: summary, layout: layout, suffixes: suffixes,
      parameters: JSONRole.allCases.map {
        Parameter($0.rawValue, default: "", $0.row.meaning + "; - for none")
      } + [
        Parameter("line", default: "", "key of a whole log line, such as Docker's log"),
        Parameter("time-unit", default: "", "unit of times that are numbers: s, ms, us or ns"),
        Parameter(
          "cost-unit", default: "", "unit of costs that have none: s, ms, us or ns"),
      ] + WebOptions.parameters(sizeName: "sizes"))
  }

  private static let linesMaximum = 1000

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if isTable { return recogniseTable(sample) }
    if objects(in: sample) != nil { return .likely }
    let lines = sample.lines(JSONLinesFormat.linesMaximum)
    let keys = JSONKeys(lines)
    let objects = lines.count { $0.withTextField { JSONLineScanner.object(in: $0) != nil } }
    guard !lines.isEmpty, max(objects, keys.objects) * 10 >= lines.count * 9 else { return .none }
    // An object without a requested URL or id may belong to another format.
    let decoder = try? decoder(options: options(), sample: sample)
    if objects < keys.objects { return decoder == nil ? .none : .likely }
    return decoder != nil ? .certain : keys.objects > 0 ? .likely : .none
  }

  private func recogniseTable(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines(JSONLinesFormat.linesMaximum)
    guard sample.isText, let table = WebTable(lines) else { return .none }
    let keys = JSONKeys(lines, table: table)
    guard keys.objects * 10 >= keys.lines * 9,
      let decoder = try? decoder(options: options(), sample: sample)
    else { return .none }
    guard let web = decoder as? WebDecoder<JSONFields> else { return .certain }
    return web.layout.roles.contains(.status) && web.layout.isURL ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    guard let isWrapped = objects(in: sample) else { return try ofLines(options, sample) }
    let lines = JSONObjects.flattened(sample, isWrapped: isWrapped)
    return InnerLinesDecoder(
      sentence: "objects span lines or are in an array; a line number counts objects",
      decoder: try ofLines(options, lines)
    ) { JSONObjects($0, isWrapped: isWrapped) }
  }

  /// True for objects in an array that is in an object, false for others that are not one per line;
  /// nil for lines.
  private func objects(in sample: FormatSample) -> Bool? {
    if isTable { return nil }
    let spread = JSONObjects.areIn(sample) ? false : nil
    let inside = JSONObjects.flattened(sample, isWrapped: true)
    guard sample.head.first(where: { $0 > 0x20 }) == 0x7B, !inside.head.isEmpty else {
      return spread
    }
    let canRead = { (lines: FormatSample) in (try? ofLines(options(), lines)) != nil }
    let outside = spread == nil ? sample : JSONObjects.flattened(sample, isWrapped: false)
    return !canRead(outside) && canRead(inside) ? true : spread
  }

  private func ofLines(
    _ options: ParameterReader, _ sample: FormatSample
  ) throws -> any TraceDecoder {
    let web = try WebOptions(options)
    let lines = sample.lines(JSONLinesFormat.linesMaximum)
    let table = isTable ? WebTable(lines) : nil
    guard table != nil || !isTable else {
      throw TraceError("expected a header with names of columns", in: sample.path, at: .line(1))
    }
    let keys = JSONKeys(lines, table: table)
    if let name = options.text("line"), name != "-" {
      if let key = keys.key(name), let inner = try decoder(of: key, options, sample, lines) {
        return inner
      }
      throw options.wrong("line", expected: "a key whose values are lines of a known log format")
    }
    let isGiven = [JSONRole.id, .request].contains { options.text($0.rawValue) != nil }
    let fields = Result { try JSONFields(options: options, keys: keys, path: sample.path) }
    let isSure = (try? fields.get().isSure) ?? false
    if !isGiven, !isSure, options.text("line") == nil {
      let only = keys.all.filter { _ in table?.names.count == 1 }
      for key in InnerLines.names.flatMap(keys.keys(ending:)) + only {
        if let inner = try decoder(of: key, options, sample, lines) { return inner }
      }
    }
    return WebDecoder(layout: try fields.get(), options: web)
  }

  /// Decoder of the lines under a key; nil if no format is certain of them.
  private func decoder(
    of key: JSONKeys.Key, _ options: ParameterReader, _ sample: FormatSample,
    _ lines: [ArraySlice<UInt8>]
  ) throws -> InnerLinesDecoder? {
    let inner = InnerLines(key, isTable ? WebTable(lines) : nil)
    let innerSample = inner.sample(of: sample, lines)
    // A sample without an inner line would be looked into again.
    guard key.values.count * 2 > lines.count - (isTable ? 1 : 0),
      key.count(where: { $0.count > 10 }) > 0, innerSample.head.count < sample.head.count
    else { return nil }
    let formats = FormatRegistry.all.filter { format in
      // Logfmt is never certain.
      let least = format is JSONLinesFormat ? FormatConfidence.likely : .certain
      return format.recognise(innerSample) >= least
    }
    guard formats.count == 1, let format = formats.first else { return nil }
    let known = format.description.parameters.map(\.name)
    var values: [String: String] = [:]
    for parameter in description.parameters.map(\.name) where parameter != "line" {
      guard let value = options.text(parameter) else { continue }
      let name = known.contains(parameter) ? parameter : parameter == "sizes" ? "size" : ""
      if known.contains(name) { values[name] = value }
    }
    let innerOptions = try format.options(
      ComponentSpec(name: format.description.name, values: values))
    return InnerLinesDecoder(
      sentence: "log lines are in the key \(JSONKeys.list([key.name])), in the format "
        + format.description.name,
      decoder: try format.decoder(options: innerOptions, sample: innerSample)
    ) { InnerLineSource($0, inner) }
  }
}

/// Lines of a log that are strings in JSON lines, as Docker and log shippers write them.
struct InnerLines: Sendable {
  /// Ends of names of keys.
  static let names = CsvName.words(
    "log message msg raw textpayload original line content body entry")

  let key: String
  /// True if a line without a newline continues in the next one, as Docker writes long lines.
  let hasNewlines: Bool
  let table: WebTable?

  init(_ key: JSONKeys.Key, _ table: WebTable?) {
    (self.key, self.table) = (key.name, table)
    hasNewlines = key.values.contains { $0.last == 0x0A }
  }

  func sample(of sample: FormatSample, _ lines: [ArraySlice<UInt8>]) -> FormatSample {
    var reader = Reader(self)
    var head: [UInt8] = []
    for line in lines { line.withTextField { reader.append($0, to: &head) } }
    var inner = FormatSample(path: sample.path, head: head, isWhole: true)
    // The suffix of the name is that of the outer file.
    inner.name = ""
    return inner
  }

  struct Reader {
    private let scanner: JSONLineScanner
    private let hasNewlines: Bool
    private let table: WebTable?
    /// Parts of the current line; as many blank lines are added to keep line numbers correct.
    private var parts = 0

    init(_ lines: InnerLines) {
      scanner = JSONLineScanner([lines.key], table: lines.table)
      (hasNewlines, table) = (lines.hasNewlines, lines.table)
    }

    /// Appends the inner line of a line, with its end; a line without inner line as it stands.
    mutating func append(_ line: TextField, to bytes: inout [UInt8]) {
      if let table, line.equals(table.line) { return bytes.append(0x0A) }
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

    mutating func end(_ bytes: inout [UInt8]) {
      bytes.append(contentsOf: repeatElement(0x0A, count: parts + 1))
      parts = 0
    }

    var isOpen: Bool { parts > 0 }
  }
}

class LineSource: ByteSource {
  let outer: ByteReader
  private var bytes: [UInt8] = []
  private var start = 0

  init(_ outer: ByteReader) { self.outer = outer }

  final func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      start = 0
      // A live log is passed on before the next read blocks.
      while bytes.isEmpty || bytes.count < 64 << 10 && outer.unreadCount > 0,
        try add(to: &bytes)
      {}
    }
    let count = min(space.count, bytes.count - start)
    bytes.withUnsafeBytes { all in
      space.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start..<start + count]))
    }
    start += count
    return count
  }

  func add(to bytes: inout [UInt8]) throws(TraceError) -> Bool { false }
}

final class InnerLineSource: LineSource {
  private var lines: InnerLines.Reader

  init(_ outer: ByteReader, _ lines: InnerLines) {
    self.lines = InnerLines.Reader(lines)
    super.init(outer)
  }

  override func add(to bytes: inout [UInt8]) throws(TraceError) -> Bool {
    while true {
      let next = outer.unread.assumingMemoryBound(to: UInt8.self)
      if let found = memchr(next, 0x0A, outer.unreadCount) {
        let newline = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
        add(TextField(next, newline), to: &bytes)
        outer.consume(newline + 1 - next)
        return true
      }
      // An overlong line is passed on unchanged and reported by the inner decoder.
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
      add(TextField(next, next + outer.unreadCount), to: &bytes)
      outer.consume(outer.unreadCount)
      return true
    }
  }

  private func add(_ line: TextField, to bytes: inout [UInt8]) {
    var line = TextField(ByteReader.pastMark(line.next, line.end), line.end)
    if !line.isEmpty, line.end[-1] == 0x0D { line = TextField(line.next, line.end - 1) }
    lines.append(line, to: &bytes)
  }
}

/// The objects of an array, or objects that span several lines, one per line.
final class JSONObjects: LineSource {
  private var state: State

  init(_ outer: ByteReader, isWrapped: Bool) {
    state = State(isWrapped: isWrapped)
    super.init(outer)
  }

  private struct State {
    let isWrapped: Bool
    var depth = 0
    var isInString = false
    var isEscaped = false
    /// True between arrays of objects in an object, and the last byte there that is no blank.
    var (isOutside, last): (Bool, UInt8) = (true, 0)

    init(isWrapped: Bool) { (self.isWrapped, isOutside) = (isWrapped, isWrapped) }

    mutating func add(_ byte: UInt8, to bytes: inout [UInt8]) {
      if isOutside {
        isOutside = isInString || byte != 0x7B || last != 0x5B
        if byte > 0x20 { last = byte }
        if isOutside { return passString(byte) }
      }
      if isWrapped, depth == 0, byte == 0x5D {
        (isOutside, last) = (true, byte)
        return
      }
      // Commas, brackets and blanks between objects; other texts there make the line a bad one.
      if depth == 0, byte <= 0x20 || [0x2C, 0x5B, 0x5D].contains(byte) { return }
      bytes.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte)
      if !isInString, byte == 0x7B { depth += 1 }
      if !isInString, byte == 0x7D {
        depth = max(0, depth - 1)
        if depth == 0 { bytes.append(0x0A) }
      }
      passString(byte)
    }

    private mutating func passString(_ byte: UInt8) {
      if isInString {
        if !isEscaped, byte == 0x22 { isInString = false }
        isEscaped = !isEscaped && byte == 0x5C
      } else if byte == 0x22 {
        isInString = true
      }
    }
  }

  static func areIn(_ sample: FormatSample) -> Bool {
    var rest = sample.head.drop { $0 <= 0x20 || ByteOrderMark.utf8.contains($0) }
    guard let first = rest.popFirst(), first == 0x5B || first == 0x7B else { return false }
    let hasBreak =
      rest.first { $0 > 0x20 || $0 == 0x0A } == 0x0A
      || rest.prefix { $0 != 0x0A }.withTextField { $0.find([0x7D, 0x7B]) != nil }
    rest = rest.drop { $0 <= 0x20 }
    return first == 0x5B ? rest.first == 0x7B : hasBreak && rest.first == 0x22
  }

  static func flattened(_ sample: FormatSample, isWrapped: Bool) -> FormatSample {
    var state = State(isWrapped: isWrapped)
    var head: [UInt8] = []
    for byte in sample.head { state.add(byte, to: &head) }
    var flat = FormatSample(path: sample.path, head: head, isWhole: sample.isWhole)
    flat.name = ""
    return flat
  }

  override func add(to bytes: inout [UInt8]) throws(TraceError) -> Bool {
    if outer.unreadCount == 0, try !outer.fillMore() { return false }
    for byte in outer.bytes { state.add(byte, to: &bytes) }
    outer.consume(outer.unreadCount)
    return true
  }
}

struct InnerLinesDecoder: TraceDecoder {
  let sentence: String
  let decoder: any TraceDecoder
  let lines: @Sendable (ByteReader) -> any ByteSource

  var columns: TraceColumns { decoder.columns }
  var keyLimit: Int? { decoder.keyLimit }
  var sizeRule: SizeRule { decoder.sizeRule }
  var sortsTimes: Bool { decoder.sortsTimes }
  var remembersSizes: Bool { decoder.remembersSizes }
  var foldsFills: Bool { decoder.foldsFills }
  var remarks: [String] { decoder.remarks }
  var understanding: [String] { [sentence] + decoder.understanding }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    batch.note("JSON lines or table: \(sentence).")
    let inner = ByteReader(lines(reader), path: reader.path)
    try decoder.decode(inner, into: batch)
  }
}
