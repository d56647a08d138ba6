import LarderEngine
import LarderLibc

/// Logs with one JSON object per line, arrays of objects, and logfmt.
struct JSONLinesFormat: TraceFormat {
  let description = FormatDescription(
    name: "json-lines",
    summary:
      "logs with a JSON object or logfmt per line: Caddy, Traefik, Envoy, nginx, ECS, clouds",
    layout: """
      Text, one JSON object per line, also after the prefix of syslog or a container, or an array
      of objects in any number of lines; or logfmt (time=... status=200). The keys of time, id (path
      or URL), query, host, status, size and so on are named with a dot into inner objects, as in
      id=request.uri:size=resp.bytes; others are found by the names used by nginx, ingress-nginx,
      Caddy, Traefik, Envoy, HAProxy, Apache, Fastly, Cloudflare, CloudFront, the load balancers
      and gateways of AWS, Google and Azure, ECS and loggers of Node; case, - and _ in names do not
      matter. A note lists the keys found. Times: a date, or a number since 1970 in the unit that
      gives a plausible date (or in time-unit). Costs: in the unit of the key or value (or in
      cost-unit). Log lines wrapped in JSON, as by Docker, are read in their own format. Gets,
      sizes, TTLs and costs as in `combined`; in a cache's own log (an id or an operation, and no
      status) as in `csv`.
      """,
    suffixes: [".jsonl", ".ndjson", ".json-lines"],
    parameters: JSONRole.allCases.map {
      Parameter($0.rawValue, default: "", $0.row.meaning + "; - for none")
    } + [
      Parameter("line", default: "", "key of a whole log line, such as Docker's log"),
      Parameter("time-unit", default: "", "unit of times that are numbers: s, ms, us or ns"),
      Parameter(
        "cost-unit", default: "", "unit of costs that have none: s, ms, us or ns"),
    ] + WebOptions.parameters(sizeName: "sizes"))

  private static let linesMaximum = 1000

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if JSONObjects.areIn(sample) { return .likely }
    let lines = sample.lines(JSONLinesFormat.linesMaximum)
    let keys = JSONKeys(lines)
    let objects = lines.count { $0.withTextField { JSONLineScanner.object(in: $0) != nil } }
    guard !lines.isEmpty, max(objects, keys.objects) * 10 >= lines.count * 9 else { return .none }
    // An object without a requested URL or id may belong to another format.
    let decoder = try? decoder(options: options(), sample: sample)
    if objects < keys.objects { return decoder == nil ? .none : .likely }
    return decoder != nil ? .certain : keys.objects > 0 ? .likely : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    if JSONObjects.areIn(sample) {
      let lines = JSONObjects.flattened(sample)
      return InnerLinesDecoder(
        sentence: "objects span lines or are in an array; a line number counts objects",
        decoder: try decoder(options: options, sample: lines)
      ) { JSONObjects($0) }
    }
    let web = try WebOptions(options)
    let lines = sample.lines(JSONLinesFormat.linesMaximum)
    let keys = JSONKeys(lines)
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
      for name in InnerLines.names {
        guard let key = keys.key(name) else { continue }
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
    let inner = InnerLines(key)
    let innerSample = inner.sample(of: sample, lines)
    guard key.values.count * 2 > lines.count, key.count(where: { $0.count > 10 }) > 0 else {
      return nil
    }
    let formats = FormatRegistry.all.filter { $0.recognise(innerSample) == .certain }
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

/// Lines of a log embedded as strings in JSON lines, as Docker's json-file driver and log shippers
/// write them.
struct InnerLines: Sendable {
  static let names = [
    "log", "message", "msg", "@message", "textPayload", "event.original", "line", "log.message",
  ]

  let key: String
  /// True if a line without a trailing newline continues in the next one, as Docker writes long
  /// lines.
  let hasNewlines: Bool

  /// Lines under `key`, judged by the first lines of a file.
  init(_ key: JSONKeys.Key) {
    self.key = key.name
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
    /// Parts of the current line; as many blank lines are added to keep line numbers correct.
    private var parts = 0

    init(_ lines: InnerLines) {
      scanner = JSONLineScanner([lines.key])
      hasNewlines = lines.hasNewlines
    }

    /// Appends the inner line of a line, with its end; a line without inner line as it stands.
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

    mutating func end(_ bytes: inout [UInt8]) {
      bytes.append(contentsOf: repeatElement(0x0A, count: parts + 1))
      parts = 0
    }

    /// True between the parts of a line.
    var isOpen: Bool { parts > 0 }
  }
}

/// Lines made of a file's bytes, a part at a time.
class LineSource: ByteSource {
  let outer: ByteReader
  private var bytes: [UInt8] = []
  private var start = 0

  init(_ outer: ByteReader) { self.outer = outer }

  final func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      start = 0
      while bytes.count < 64 << 10, try add(to: &bytes) {}
    }
    let count = min(space.count, bytes.count - start)
    bytes.withUnsafeBytes { all in
      space.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[start..<start + count]))
    }
    start += count
    return count
  }

  /// Adds the next bytes; false at the end.
  func add(to bytes: inout [UInt8]) throws(TraceError) -> Bool { false }
}

/// Inner lines of a file as a stream of bytes.
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
  private var state = State()

  private struct State {
    var depth = 0
    var isInString = false
    var isEscaped = false

    mutating func add(_ byte: UInt8, to bytes: inout [UInt8]) {
      // Commas, brackets and blanks between objects; other texts there make the line a bad one.
      if depth == 0, byte <= 0x20 || [0x2C, 0x5B, 0x5D].contains(byte) { return }
      bytes.append(byte == 0x0A || byte == 0x0D ? 0x20 : byte)
      if isInString {
        if !isEscaped, byte == 0x22 { isInString = false }
        isEscaped = !isEscaped && byte == 0x5C
      } else if byte == 0x22 {
        isInString = true
      } else if byte == 0x7B {
        depth += 1
      } else if byte == 0x7D {
        depth -= 1
        if depth == 0 { bytes.append(0x0A) }
      }
    }
  }

  /// True for an array of objects, or an object that spans several lines.
  static func areIn(_ sample: FormatSample) -> Bool {
    var rest = sample.head.drop { $0 <= 0x20 || ByteOrderMark.utf8.contains($0) }
    guard let first = rest.popFirst(), first == 0x5B || first == 0x7B else { return false }
    let hasBreak = rest.first { $0 > 0x20 || $0 == 0x0A } == 0x0A
    rest = rest.drop { $0 <= 0x20 }
    return first == 0x5B ? rest.first == 0x7B : hasBreak && rest.first == 0x22
  }

  static func flattened(_ sample: FormatSample) -> FormatSample {
    var state = State()
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

/// Decodes a log whose lines are made of the bytes of the file.
struct InnerLinesDecoder: TraceDecoder {
  let sentence: String
  let decoder: any TraceDecoder
  let lines: @Sendable (ByteReader) -> any ByteSource

  var columns: TraceColumns { decoder.columns }
  var keyLimit: Int? { decoder.keyLimit }
  var sizeRule: SizeRule { decoder.sizeRule }
  var sortsTimes: Bool { decoder.sortsTimes }
  var understanding: [String] { [sentence] + decoder.understanding }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    batch.note("JSON lines: \(sentence).")
    let inner = ByteReader(lines(reader), path: reader.path)
    try decoder.decode(inner, into: batch)
  }
}
