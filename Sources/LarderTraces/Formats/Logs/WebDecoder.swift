/// How the lines of a log are taken apart into fields with roles.
protocol WebLayout: Sendable {
  /// The roles that fields have.
  var roles: Set<WebRole> { get }
  /// How lines are understood, in sentences.
  var understanding: [String] { get }
  /// What a layout keeps from line to line.
  associatedtype Reader: WebLineReader
  /// A reader at the beginning of a file.
  func reader() -> Reader
}

/// Takes lines apart, one after the other.
protocol WebLineReader {
  /// Puts the fields of `line` into `fields`.
  mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind
  /// What is wrong with a line that is `bad`.
  func problem(_ line: TextField) -> String
}

/// What a line of a log is.
enum WebLineKind {
  /// A request, whose fields were filled.
  case request
  /// A comment or nothing.
  case none
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
    let mapper = WebMapper(options, roles: layout.roles)
    let fields = WebLine()
    var lines = layout.reader()
    var last = 0
    try reader.forEachLine(telling: batch) { line, number in
      last = number
      switch lines.read(line, into: fields) {
      case .none: return true
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
    batch.noteLines(last)
    _ = try batch.flush()
  }

  private static func problem(_ role: WebRole, _ fields: borrowing WebLine) -> String {
    switch role {
    case .status: "expected a status such as 200, found \(fields[.status].quoted)"
    case .bytes: "expected a number of bytes or -, found \(fields[.bytes].quoted)"
    case .date:
      "expected a date and a time, found \(fields[.date].quoted) and "
        + fields[.timeOfDay].quoted
    case .time: "expected a date with a time, found \(fields[.time].quoted)"
    default:
      role.timeUnit?.problem(fields[role]) ?? "cannot read \(fields[role].quoted)"
    }
  }
}
