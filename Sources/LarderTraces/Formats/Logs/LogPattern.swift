import LarderEngine

/// Pattern of a log's lines: literal texts and the fields between them.
///
/// Made from the `log_format` of nginx or the `LogFormat` of Apache and varnishncsa. Lines are
/// matched only up to the last field that is needed, so additions at the end of lines are ignored.
struct LogPattern: Sendable {
  /// A field and the text that ends it; the last field of a line has none.
  struct Field: Sendable {
    var role: WebRole?
    var end: [UInt8]
    /// True if double quotes surround it and quotes inside are escaped.
    var isQuoted: Bool
  }

  /// Text before the first field.
  let prefix: [UInt8]
  let fields: [Field]
  let text: String

  /// Parses the pattern that a user gave.
  ///
  /// - Throws: the unreadable part, as the end of a sentence.
  init(parsing text: String) throws(LogPatternError) {
    let tokens = try LogPatternText.tokens(of: text)
    var prefix: [UInt8] = []
    var fields: [Field] = []
    for token in tokens {
      switch token {
      case .text(let bytes):
        if fields.isEmpty { prefix = bytes } else { fields[fields.count - 1].end = bytes }
      case .field(let role):
        if let last = fields.last, last.end.isEmpty {
          throw LogPatternError("two fields need text between them")
        }
        let before = fields.last?.end ?? prefix
        fields.append(Field(role: role, end: [], isQuoted: before.last == 0x22))
      }
    }
    for index in fields.indices where fields[index].end.first != 0x22 {
      fields[index].isQuoted = false
    }
    let roles = fields.compactMap(\.role)
    guard !Set(roles).isDisjoint(with: [.request, .target, .path]) else {
      throw LogPatternError(
        "it has no request (nginx: $request or $request_uri; Apache: %r or %U)")
    }
    // Text after the last field with a role is not matched.
    let last = fields.lastIndex { $0.role != nil } ?? 0
    self.prefix = prefix
    self.fields = Array(fields[...last])
    self.text = text
  }

  /// Number of sample lines that match the pattern, including its time and status if present.
  func fitting(_ lines: [ArraySlice<UInt8>]) -> Int {
    let fields = WebLine()
    let timeRoles = WebRole.times.filter { roles.contains($0) }
    var reader = reader()
    return lines.count { line in
      line.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress,
          case .request = reader.read(TextField(start, start + bytes.count), into: fields)
        else { return false }
        let isTimed = timeRoles.allSatisfy { role in
          (role.timeUnit?.microseconds(fields[role]) ?? LogTime.microseconds(fields[role])) != nil
        }
        var status = fields[.status]
        return isTimed && (status.isNothing || (status.takeInteger() != nil && status.isEmpty))
      }
    }
  }

  var roles: Set<WebRole> { Set(fields.compactMap(\.role)) }
}

/// Error in a pattern.
struct LogPatternError: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

extension LogPattern: WebLayout {
  var understanding: [String] { ["lines are \(text)"] }

  func reader() -> Reader { Reader(pattern: self) }

  struct Reader: WebLineReader {
    let pattern: LogPattern

    @inline(__always) mutating func read(
      _ line: TextField, into fields: borrowing WebLine
    ) -> WebLineKind {
      if line.isEmpty || line.trimmed.isEmpty { return .none }
      var next = line.next
      let end = line.end
      if !pattern.prefix.isEmpty {
        guard TextField(next, end).starts(with: pattern.prefix) else { return .bad }
        next += pattern.prefix.count
      }
      let last = pattern.fields.count - 1
      for (index, field) in pattern.fields.enumerated() {
        let rest = TextField(next, end)
        // A final number field ends at a blank, whatever follows.
        let isNumber = field.role == .bytes || field.role == .status
        var found =
          field.end.isEmpty ? (isNumber ? rest.find(0x20) ?? end : end) : rest.find(field.end)
        if field.isQuoted, let place = found, place > next, place[-1] == 0x5C {
          found = Reader.endOfQuoted(rest, field.end)
        }
        // The text after the last field may be cut off, or be the end of the line.
        if found == nil, index == last, !field.isQuoted { found = end }
        guard let found else { return .bad }
        if let role = field.role { fields[role] = TextField(next, found) }
        next = min(end, found + field.end.count)
      }
      return .request
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

    func problem(_ line: TextField) -> String {
      "expected a line such as \(pattern.text), found \(line.quoted)"
    }
  }
}

extension TextField {
  @inline(__always) func starts(with text: [UInt8]) -> Bool {
    count >= text.count && TextField(next, next + text.count).equals(text)
  }
}

/// Parser of the log format languages of servers.
enum LogPatternText {
  enum Token: Equatable {
    case text([UInt8])
    /// A field; nil if irrelevant to caching.
    case field(WebRole?)
  }

  private static let variables: [String: WebRole] = [
    "time_local": .time, "time_iso8601": .time, "msec": .seconds, "request": .request,
    "request_method": .method, "request_uri": .target, "uri": .path, "document_uri": .path,
    "args": .query, "query_string": .query, "host": .host, "http_host": .host,
    "server_name": .host, "status": .status, "body_bytes_sent": .bytes, "bytes_sent": .bytes,
    "upstream_response_time": .originSeconds, "upstream_header_time": .originSeconds,
    "request_time": .totalSeconds, "sent_http_cache_control": .cacheControl,
    "upstream_http_cache_control": .cacheControl, "sent_http_expires": .expires,
    "upstream_http_expires": .expires, "upstream_cache_status": .cacheStatus,
  ]

  private static let letters: [Character: WebRole] = [
    "t": .time, "r": .request, "m": .method, "U": .path, "q": .query, "v": .host, "V": .host,
    "s": .status, "b": .bytes, "B": .bytes, "O": .bytes, "D": .totalMicroseconds,
    "T": .totalSeconds,
  ]

  private static let named: [String: WebRole] = [
    "host}i": .host, "cache-control}o": .cacheControl, "expires}o": .expires,
    "ms}T": .totalMilliseconds, "us}T": .totalMicroseconds, "s}T": .totalSeconds,
    "sec}t": .seconds, "msec}t": .milliseconds, "usec}t": .microseconds,
    "varnish:time_firstbyte}x": .originSeconds, "varnish:hitmiss}x": .cacheStatus,
  ]

  static func tokens(of text: String) throws(LogPatternError) -> [Token] {
    var rest = Substring(text)
    var tokens: [Token] = []
    var literal: [UInt8] = []
    func closed(_ tokens: [Token], _ literal: [UInt8]) -> [Token] {
      literal.isEmpty ? tokens : tokens + [.text(literal)]
    }
    while let character = rest.popFirst() {
      switch character {
      case "$":
        let isBraced = rest.first == "{"
        if isBraced { rest.removeFirst() }
        let name = String(rest.prefix { $0 == "_" || $0.isLetter || $0.isNumber })
        guard !name.isEmpty else { throw LogPatternError("a $ without a name") }
        rest.removeFirst(name.count)
        if isBraced, rest.first == "}" { rest.removeFirst() }
        tokens = closed(tokens, literal) + [.field(variables[name.lowercased()])]
        literal = []
      case "%" where rest.first == "%":
        rest.removeFirst()
        literal.append(0x25)
      case "%":
        let (role, isTime) = try directive(&rest)
        // Apache adds the brackets around its time itself.
        tokens = closed(tokens, literal + (isTime ? [0x5B] : [])) + [.field(role)]
        literal = isTime ? [0x5D] : []
      case "\\":
        guard let next = rest.popFirst() else { throw LogPatternError("a \\ at the end") }
        literal += next == "t" ? [0x09] : Array(String(next).utf8)
      default: literal += String(character).utf8
      }
    }
    return merged(closed(tokens, literal))
  }

  /// Apache directive after its percent sign, and true for a time in brackets.
  private static func directive(
    _ rest: inout Substring
  ) throws(LogPatternError) -> (WebRole?, isTime: Bool) {
    while let first = rest.first, "<>!,".contains(first) || first.isNumber { rest.removeFirst() }
    guard let first = rest.popFirst() else { throw LogPatternError("a % at the end") }
    guard first == "{" else { return (letters[first], first == "t") }
    guard let close = rest.firstIndex(of: "}") else {
      throw LogPatternError("a %{ without its }")
    }
    let argument = rest[..<close].lowercased()
    rest = rest[rest.index(after: close)...]
    guard let letter = rest.popFirst() else { throw LogPatternError("a %{} without its letter") }
    let role = named["\(argument)}\(letter)"]
    if letter == "t", role == nil {
      throw LogPatternError("the time %{\(argument)}t cannot be read; use %t or %{usec}t")
    }
    return (role, false)
  }

  private static func merged(_ tokens: [Token]) -> [Token] {
    tokens.reduce(into: []) { merged, token in
      if case .text(let more) = token, case .text(let text)? = merged.last {
        merged[merged.count - 1] = .text(text + more)
      } else {
        merged.append(token)
      }
    }
  }
}

/// A log format in the configuration of nginx or Apache.
struct LogDefinition {
  /// Name in the configuration; empty without one.
  var name: String
  var format: String

  private static let lengthMaximum = 1 << 20

  /// Definitions in a text: `log_format main '...' '...';` of nginx, over several lines, and
  /// `LogFormat "..." combined` of Apache. Skips comments.
  static func all(in text: String) -> [LogDefinition] {
    var definitions: [LogDefinition] = []
    var words = Words(text)
    while let word = words.next(stopsAtLine: false) {
      guard word.isFirst, !word.isQuoted else { continue }
      if word.text == "log_format", let definition = nginx(&words) {
        definitions.append(definition)
      } else if word.text.lowercased() == "logformat", let definition = apache(&words) {
        definitions.append(definition)
      }
    }
    return definitions
  }

  /// Format of an option: a format, the directive that defines it, or `@file` and `@file#name` for
  /// one in a configuration; of several in a file, the one that matches most of `lines`.
  ///
  /// - Throws: the error, as the end of a sentence.
  static func pattern(
    _ option: String, lines: [ArraySlice<UInt8>]
  ) throws(LogPatternError) -> LogPattern {
    guard option.first == "@" else {
      let definition = all(in: option).first
      return try LogPattern(parsing: definition?.format ?? option)
    }
    let parts = option.dropFirst().split(separator: "#", maxSplits: 1)
    let path = parts.first.map(String.init) ?? ""
    var known = all(in: try read(path))
    let names = known.map(\.name).joined(separator: ", ")
    if known.isEmpty {
      throw LogPatternError("\(path) has no log_format and no LogFormat")
    }
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
        let fitting = pattern.fitting(lines)
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

  /// Rest of nginx's directive: a name, optionally `escape=json`, and quoted parts.
  private static func nginx(_ words: inout Words) -> LogDefinition? {
    guard let name = words.next(stopsAtLine: false), !name.isEnd else { return nil }
    var format = ""
    var hasName = true
    // A format that was copied without its name.
    if name.isQuoted { (hasName, format) = (false, name.text) }
    while let word = words.next(stopsAtLine: false), !word.isEnd {
      if format.isEmpty, !word.isQuoted, word.text.hasPrefix("escape=") { continue }
      format += word.text
    }
    return format.isEmpty ? nil : LogDefinition(name: hasName ? name.text : "", format: format)
  }

  /// Rest of Apache's directive: a quoted format and a name.
  private static func apache(_ words: inout Words) -> LogDefinition? {
    guard let format = words.next(stopsAtLine: true), !format.isEnd else { return nil }
    var name = ""
    while let word = words.next(stopsAtLine: true), !word.isEnd { name = word.text }
    return LogDefinition(name: name, format: format.text)
  }

  /// Words of a configuration.
  private struct Words {
    struct Word {
      var text = ""
      var isQuoted = false
      /// True for a semicolon, a brace or, if lines are significant, the end of a line.
      var isEnd = false
      /// True for the first word of a directive or line.
      var isFirst = false
    }

    private var rest: Substring
    private var isAtStart = true

    init(_ text: String) { rest = text[...] }

    mutating func next(stopsAtLine: Bool) -> Word? {
      var word = take(stopsAtLine: stopsAtLine)
      word?.isFirst = isAtStart
      isAtStart = word?.isEnd ?? false
      return word
    }

    private mutating func take(stopsAtLine: Bool) -> Word? {
      while let first = rest.first {
        switch first {
        case "\n", "\r\n":
          rest.removeFirst()
          isAtStart = true
          // Apache directives end with their line.
          if stopsAtLine { return Word(isEnd: true) }
        case "\\" where rest.dropFirst().first?.isNewline == true: rest = rest.dropFirst(2)
        case "#": rest = rest.drop { !$0.isNewline }
        case ";", "{", "}":
          rest.removeFirst()
          return Word(isEnd: true)
        case "'", "\"":
          rest.removeFirst()
          return Word(text: quoted(by: first), isQuoted: true)
        case _ where first.isWhitespace: rest.removeFirst()
        default:
          let word = rest.prefix { !$0.isWhitespace && $0 != ";" }
          rest = rest[word.endIndex...]
          return Word(text: String(word))
        }
      }
      return nil
    }

    private mutating func quoted(by quote: Character) -> String {
      var text = ""
      while let character = rest.popFirst(), character != quote {
        if character == "\\", let escaped = rest.popFirst() {
          if escaped != quote { text.append("\\") }
          text.append(escaped)
        } else {
          text.append(character)
        }
      }
      return text
    }
  }
}
