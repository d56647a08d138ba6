import LarderEngine

/// Pattern of a log's lines: literal texts and the fields between them, from the `log_format` of
/// nginx or the `LogFormat` of Apache and varnishncsa, in which the roles of `WebRole` are
/// variables too. Additions behind the last field that is needed are ignored.
struct LogPattern: Sendable {
  /// A field and the text that ends it; the last field of a line has none.
  struct Field: Sendable {
    var role: WebRole?
    var end: [UInt8] = []
    var isQuoted = false
    /// True for texts in quotes or brackets, and for all before a time in brackets.
    var mayHaveBlanks: Bool {
      isQuoted || [0x22, 0x5D, 0x7C].contains(end.first) || end == [0x20, 0x5B]
    }
  }

  let prefix: [UInt8]
  let fields: [Field]
  let text: String
  /// True if fields are single words or in quotes or brackets, with runs of blanks between them,
  /// and numbers and times look like such. For patterns by which a format is recognised.
  let isStrict: Bool
  /// True to ignore all before a time in brackets.
  private let startsAtTime: Bool

  init(parsing text: String, isStrict: Bool = false) throws(LogPatternError) {
    var parser = LogPatternParser(rest: text[...])
    try parser.parse()
    let roles = parser.fields.compactMap(\.role)
    guard !Set(roles).isDisjoint(with: [.request, .target, .path]) else {
      throw LogPatternError("it has no request (nginx: $request or $request_uri; Apache: %r or %U)")
    }
    // Text after the last field with a role is not matched.
    let last = parser.fields.lastIndex { $0.role != nil } ?? 0
    var fields = Array(parser.fields[...last])
    for place in fields.indices where fields[place].role == .totalBytes && !roles.contains(.bytes) {
      fields[place].role = .bytes
    }
    (prefix, self.fields) = (parser.prefix, fields)
    (self.text, self.isStrict) = (text, isStrict)
    startsAtTime = isStrict && fields[0].role == nil && fields[0].end == [0x20, 0x5B]
  }

  static func known(_ texts: [String]) -> [LogPattern] {
    texts.compactMap { try? LogPattern(parsing: $0, isStrict: true) }
  }

  @inline(__always) func read(_ line: TextField, into values: borrowing WebLine) -> Bool {
    var rest = isStrict ? start(of: line) : line
    guard rest.starts(with: prefix) else { return false }
    rest = TextField(rest.next + prefix.count, line.end)
    var first = 0
    if startsAtTime {
      guard let time = CombinedLayout.time(in: line) else { return false }
      rest = TextField(time.next, line.end)
      first = 1
    }
    for index in first..<fields.count {
      let field = fields[index]
      guard let end = end(of: field, rest, isLast: index == fields.count - 1) else { return false }
      let value = TextField(rest.next, end)
      if isStrict, !isPlausible(value, field) { return false }
      if let role = field.role { values[role] = value }
      rest = TextField(min(line.end, end + field.end.count), line.end)
      if isStrict, field.end.last == 0x20 { rest.skipBlanks() }
    }
    return true
  }

  @inline(__always) private func end(
    of field: Field, _ rest: TextField, isLast: Bool
  ) -> UnsafePointer<UInt8>? {
    if isStrict {
      if isLast, field.isQuoted, field.end.first == 0x22 { return rest.endOfQuoted() }
      if isLast, field.end.isEmpty { return rest.find(0x20) ?? rest.end }
    }
    // A final number field ends at a blank, whatever follows.
    let role = field.role
    let isNumber = role == .bytes || role == .totalBytes || role == .status
    var found =
      field.end.isEmpty
      ? (isNumber ? rest.find(0x20) ?? rest.end : rest.end) : rest.find(field.end)
    if field.isQuoted, let place = found, place > rest.next, place[-1] == 0x5C {
      found = LogPattern.endOfQuoted(rest, field.end)
    }
    // The text after the last field may be cut off, or be the end of the line.
    return found ?? (isLast && !field.isQuoted ? rest.end : nil)
  }

  /// A line without blanks and, if it should begin with a time, without a logger's prefix.
  private func start(of line: TextField) -> TextField {
    let line = line.trimmed
    guard prefix.isEmpty, let role = fields[0].role, WebRole.times.contains(role),
      !line.isEmpty, line.next.pointee &- 0x30 > 9
    else { return line }
    return LogPrefix.removed(from: line)
  }

  @inline(__always) private func isPlausible(_ value: TextField, _ field: Field) -> Bool {
    if !field.mayHaveBlanks, value.isEmpty || value.find(0x20) != nil { return false }
    guard let role = field.role else { return true }
    let isWord = !field.mayHaveBlanks || role == .request
    if isWord, !value.isEmpty, value.next.pointee == 0x22 { return false }
    if role == .method, !value.isNothing { return value.next.pointee &- 0x41 < 26 }
    guard role.isNumber else { return true }
    guard !value.isEmpty, role != .status || value.count <= 3 else { return false }
    let first = value.next.pointee
    // `Sun Mar  1 10:00:00 2026`.
    if role == .time, value.count == 24 { return true }
    return first &- 0x30 <= 9 || !WebRole.times.contains(role) && (first == 0x2D || first == 0x2B)
  }

  @inline(never) private static func endOfQuoted(
    _ field: TextField, _ end: [UInt8]
  ) -> UnsafePointer<UInt8>? {
    var rest = field
    while let byte = rest.takeByte() {
      if byte == 0x5C {
        _ = rest.takeByte()
      } else if byte == 0x22 {
        let place = rest.next - 1
        if TextField(place, field.end).starts(with: end) { return place }
      }
    }
    return nil
  }
}

struct LogPatternError: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

extension LogPattern: WebLayout {
  var roles: Set<WebRole> { Set(fields.compactMap(\.role)) }
  var understanding: [String] { ["lines are \(text)"] }

  func reader() -> Reader { Reader(pattern: self) }

  struct Reader: WebLineReader {
    let pattern: LogPattern

    @inline(__always) mutating func read(
      _ line: TextField, into fields: borrowing WebLine
    ) -> WebLineKind {
      if line.trimmed.isEmpty { return .none }
      return pattern.read(line, into: fields) ? .request : .bad
    }

    func problem(_ line: TextField) -> String {
      "expected a line such as \(pattern.text), found \(line.quoted)"
    }

    var remarks: [String] {
      pattern.isStrict ? ["Lines are read as \(pattern.text); log-format= changes this."] : []
    }
  }
}

extension TextField {
  @inline(__always) func starts(with text: [UInt8]) -> Bool {
    count >= text.count && TextField(next, next + text.count).equals(text)
  }
}

private struct LogPatternParser {
  var rest: Substring
  private(set) var prefix: [UInt8] = []
  private(set) var fields: [LogPattern.Field] = []

  private static let variables: [String: WebRole] = {
    let roles = WebRole.allCases.map { ("\($0)".lowercased(), $0) }
    let nginx: [(String, WebRole)] = [
      ("time_local", .time), ("time_iso8601", .time), ("msec", .seconds),
      ("request_method", .method), ("request_uri", .target), ("uri", .path),
      ("document_uri", .path), ("args", .query), ("query_string", .query), ("http_host", .host),
      ("server_name", .host), ("body_bytes_sent", .bytes), ("bytes_sent", .totalBytes),
      ("upstream_response_time", .originSeconds), ("upstream_header_time", .originSeconds),
      ("request_time", .totalSeconds), ("sent_http_cache_control", .cacheControl),
      ("upstream_http_cache_control", .cacheControl), ("sent_http_expires", .expires),
      ("upstream_http_expires", .expires), ("upstream_cache_status", .cacheStatus),
    ]
    return Dictionary(roles + nginx) { $1 }
  }()

  private static let letters: [Character: WebRole] = [
    "t": .time, "r": .request, "m": .method, "U": .path, "q": .query, "v": .host, "V": .host,
    "s": .status, "b": .bytes, "B": .bytes, "O": .totalBytes, "D": .totalMicroseconds,
    "T": .totalSeconds,
  ]

  private static let named: [String: WebRole] = [
    "host}i": .host, "cache-control}o": .cacheControl, "expires}o": .expires,
    "ms}T": .totalMilliseconds, "us}T": .totalMicroseconds, "s}T": .totalSeconds,
    "sec}t": .seconds, "msec}t": .milliseconds, "usec}t": .microseconds,
    "varnish:time_firstbyte}x": .originSeconds, "varnish:hitmiss}x": .cacheStatus,
  ]

  init(rest: Substring) { self.rest = rest }

  mutating func parse() throws(LogPatternError) {
    while let character = rest.popFirst() {
      switch character {
      case "$":
        let isBraced = rest.first == "{"
        if isBraced { rest.removeFirst() }
        let name = String(rest.prefix { $0 == "_" || $0.isLetter || $0.isNumber })
        guard !name.isEmpty else { throw LogPatternError("a $ without a name") }
        rest.removeFirst(name.count)
        if isBraced, rest.first == "}" { rest.removeFirst() }
        try add(Self.variables[name.lowercased()])
      case "%" where rest.first == "%":
        rest.removeFirst()
        add("%")
      case "%":
        let (role, isTime) = try directive()
        // Apache adds the brackets around its time itself.
        if isTime { add("[") }
        try add(role)
        if isTime { add("]") }
      case "\\":
        guard let next = rest.popFirst() else { throw LogPatternError("a \\ at the end") }
        add(next == "t" ? "\t" : next)
      default: add(character)
      }
    }
    for index in fields.indices where fields[index].end.first != 0x22 {
      fields[index].isQuoted = false
    }
  }

  private mutating func add(_ character: Character) {
    if fields.isEmpty {
      prefix += String(character).utf8
    } else {
      fields[fields.count - 1].end += String(character).utf8
    }
  }

  private mutating func add(_ role: WebRole?) throws(LogPatternError) {
    if let last = fields.last, last.end.isEmpty {
      throw LogPatternError("two fields need text between them")
    }
    fields.append(LogPattern.Field(role: role, isQuoted: (fields.last?.end ?? prefix).last == 0x22))
  }

  private mutating func directive() throws(LogPatternError) -> (WebRole?, isTime: Bool) {
    while let first = rest.first, "<>!,".contains(first) || first.isNumber { rest.removeFirst() }
    guard let first = rest.popFirst() else { throw LogPatternError("a % at the end") }
    guard first == "{" else { return (Self.letters[first], first == "t") }
    guard let close = rest.firstIndex(of: "}") else { throw LogPatternError("a %{ without its }") }
    let argument = rest[..<close].lowercased()
    rest = rest[rest.index(after: close)...]
    guard let letter = rest.popFirst() else { throw LogPatternError("a %{} without its letter") }
    let role = Self.named["\(argument)}\(letter)"]
    if letter == "t", role == nil {
      throw LogPatternError("the time %{\(argument)}t cannot be read; use %t or %{usec}t")
    }
    return (role, false)
  }
}

struct LogDefinition {
  var name: String
  var format: String

  private static let lengthMaximum = 1 << 20

  private enum Word {
    case text(String, isQuoted: Bool)
    case end
    case newline
  }

  /// Definitions in a text: `log_format main '...' '...';` of nginx, over several lines, and
  /// `LogFormat "..." combined` of Apache. Skips comments.
  static func all(in text: String) -> [LogDefinition] {
    let words = words(of: text)
    return words.indices.compactMap { index in
      guard case .text(let directive, false) = words[index] else { return nil }
      let isNginx = directive == "log_format"
      guard isNginx || directive.lowercased() == "logformat" else { return nil }
      var parts: [(text: String, isQuoted: Bool)] = []
      scan: for word in words[(index + 1)...] {
        switch word {
        case .text(let text, let isQuoted): parts.append((text, isQuoted))
        // Directives of Apache end with their line.
        case .newline: if !isNginx { break scan }
        case .end: break scan
        }
      }
      guard let first = parts.first else { return nil }
      if !isNginx {
        return LogDefinition(
          name: parts.count > 1 ? parts.last?.text ?? "" : "", format: first.text)
      }
      // A format may have been copied without its name.
      if !first.isQuoted { parts.removeFirst() }
      if let option = parts.first, !option.isQuoted, option.text.hasPrefix("escape=") {
        parts.removeFirst()
      }
      return parts.isEmpty
        ? nil
        : LogDefinition(
          name: first.isQuoted ? "" : first.text, format: parts.map(\.text).joined())
    }
  }

  /// Format of an option: a format, the directive that defines it, or `@file` and `@file#name` for
  /// one in a configuration; of several in a file, the one that matches most of `lines`.
  static func pattern(
    _ option: String, lines: [ArraySlice<UInt8>]
  ) throws(LogPatternError) -> LogPattern {
    guard option.first == "@" else {
      return try LogPattern(parsing: all(in: option).first?.format ?? option)
    }
    let parts = option.dropFirst().split(separator: "#", maxSplits: 1)
    let path = parts.first.map(String.init) ?? ""
    var known = all(in: try read(path))
    let names = known.map(\.name).joined(separator: ", ")
    if known.isEmpty { throw LogPatternError("\(path) has no log_format and no LogFormat") }
    if parts.count > 1 {
      known.removeAll { $0.name != parts[1] }
      if known.isEmpty {
        throw LogPatternError("\(path) has no format '\(parts[1])', but \(names)")
      }
    }
    var best: (pattern: LogPattern, lines: Int)?
    var problem = LogPatternError("no format")
    for definition in known {
      do throws(LogPatternError) {
        let pattern = try LogPattern(parsing: definition.format)
        let fitting = pattern.fitting(lines).requests
        if fitting > best?.lines ?? -1 { best = (pattern, fitting) }
      } catch {
        problem = error
      }
    }
    guard let best else { throw problem }
    return best.pattern
  }

  private static func read(_ path: String) throws(LogPatternError) -> String {
    do {
      let reader = ByteReader(try Compression.open(FileBytes(path: path)), path: path)
      guard try !reader.fill(atLeast: lengthMaximum) else {
        throw LogPatternError("\(path) is longer than \(lengthMaximum) bytes")
      }
      return String(decoding: reader.bytes, as: UTF8.self)
    } catch let error as LogPatternError {
      throw error
    } catch {
      throw LogPatternError("\(error)")
    }
  }

  private static func words(of text: String) -> [Word] {
    var rest = text[...]
    var words: [Word] = []
    while let first = rest.popFirst() {
      switch first {
      case "\n", "\r\n": words.append(.newline)
      case "\\" where rest.first?.isNewline == true: rest.removeFirst()
      case "#": rest = rest.drop { !$0.isNewline }
      case ";", "{", "}": words.append(.end)
      case "'", "\"": words.append(.text(quoted(&rest, by: first), isQuoted: true))
      case _ where first.isWhitespace: break
      default:
        let word = rest.prefix { !$0.isWhitespace && $0 != ";" }
        rest = rest[word.endIndex...]
        words.append(.text("\(first)\(word)", isQuoted: false))
      }
    }
    return words
  }

  private static func quoted(_ rest: inout Substring, by quote: Character) -> String {
    var text = ""
    while let character = rest.popFirst(), character != quote {
      text.append(character)
      guard character == "\\", let escaped = rest.popFirst() else { continue }
      if escaped == quote { text.removeLast() }
      text.append(escaped)
    }
    return text
  }
}
