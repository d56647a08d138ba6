/// How the lines of a log are taken apart into fields with roles.
protocol WebLayout: Sendable {
  /// The roles that fields have.
  var roles: Set<WebRole> { get }
  /// How lines are understood, in sentences.
  var understanding: [String] { get }
  /// Each line has one of several costs.
  var takesAnyCost: Bool { get }
  /// What a layout keeps from line to line.
  associatedtype Reader: WebLineReader
  /// A reader at the beginning of a file.
  func reader() -> Reader
}

extension WebLayout {
  var takesAnyCost: Bool { false }

  /// True where nine of ten lines are requests with a time and a status, or are left out on
  /// purpose, and one of them is a request.
  func fits(_ lines: [ArraySlice<UInt8>]) -> Bool {
    let fields = WebLine()
    var lineReader = reader()
    var (requests, others) = (0, 0)
    for line in lines {
      line.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress else { return }
        switch lineReader.read(TextField(start, start + bytes.count), into: fields) {
        case .request:
          let isTimed = LogTime.microseconds(fields[.time]) != nil
          var status = fields[.status]
          if isTimed, status.isNothing || status.takeInteger() != nil { requests += 1 }
        case .skipped: others += 1
        case .none, .bad: break
        }
      }
    }
    return requests > 0 && (requests + others) * 10 >= lines.count * 9
  }
}

/// Takes lines apart, one after the other.
protocol WebLineReader {
  /// Puts the fields of `line` into `fields`.
  mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind
  /// What is wrong with a line that is `bad`.
  func problem(_ line: TextField) -> String
  /// Lines that were read in another way than the first look at a file suggests, by kind.
  var kinds: [(text: String, lines: Int)] { get }
  /// Sentences about the lines read so far, for results.
  var remarks: [String] { get }
}

extension WebLineReader {
  /// Every line was read in one way.
  var kinds: [(text: String, lines: Int)] { [] }
  var remarks: [String] { [] }
}

/// What a line of a log is.
enum WebLineKind {
  /// A request, whose fields were filled.
  case request
  /// A comment or nothing.
  case none
  /// Left out on purpose, for this reason.
  case skipped(StaticString)
  /// Not as the layout has it.
  case bad
}

/// Decodes a web log.
struct WebDecoder<Layout: WebLayout>: TraceDecoder {
  let layout: Layout
  let options: WebOptions

  var columns: TraceColumns { WebMapper.columns(of: layout.roles) }
  var sizeRule: SizeRule { .lastFull }
  var sortsTimes: Bool { true }
  var understanding: [String] { layout.understanding + options.understanding }

  func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
    let mapper = WebMapper(
      options, roles: layout.roles, takesAnyCost: layout.takesAnyCost)
    let fields = WebLine()
    var lines = layout.reader()
    var last = 0
    try reader.forEachLine(telling: batch) { line, number in
      last = number
      switch lines.read(line, into: fields) {
      case .none: return true
      case .skipped(let reason):
        batch.skip("\(reason)")
        return true
      case .bad:
        try batch.bad(
          TraceError(lines.problem(line), in: reader.path, at: .line(number)))
        return true
      case .request: break
      }
      switch mapper.record(fields) {
      case .record(let record): return try batch.append(record)
      case .skipped(let reason): batch.skip(reason, line: line)
      case .bad(let role):
        try batch.bad(
          TraceError(
            WebDecoder.problem(role, fields), in: reader.path, at: .line(number)))
      }
      return true
    }
    for remark in lines.remarks { batch.note(remark) }
    batch.noteLines(last)
    for kind in lines.kinds { batch.note(kind.text, lines: kind.lines) }
    _ = try batch.flush()
  }

  private static func problem(_ role: WebRole, _ fields: borrowing WebLine) -> String {
    switch role {
    case .status: "expected a status such as 200, found \(fields[.status].quoted)"
    case .bytes, .objectBytes: "expected a number of bytes or -, found \(fields[role].quoted)"
    case .date:
      "expected a date and a time, found \(fields[.date].quoted) and "
        + fields[.timeOfDay].quoted
    case .time: "expected a date with a time, found \(fields[.time].quoted)"
    case .timestamp:
      "expected a date with a time or a number since 1970, found \(fields[.timestamp].quoted)"
    default:
      role.timeUnit?.problem(fields[role]) ?? "cannot read \(fields[role].quoted)"
    }
  }
}
