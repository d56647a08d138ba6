/// A line of a log as the server was told to write it: texts, and between them what it fills in.
///
/// Made from the `log_format` of nginx or the `LogFormat` of Apache and varnishncsa. Only the
/// part up to the last field that is needed is looked at in a line, so that whatever is added at
/// the end of lines does not matter.
struct LogPattern: Sendable {
  /// A field and the text that ends it; the last of a line has none.
  struct Field: Sendable {
    var role: WebRole?
    var end: [UInt8]
    /// In double quotes, with quotes inside escaped.
    var isQuoted: Bool
  }

  /// What stands before the first field.
  let prefix: [UInt8]
  let fields: [Field]
  /// The pattern as it was written.
  let text: String

  /// The pattern that a user pasted.
  ///
  /// - Throws: what cannot be read, as the end of a sentence.
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
          throw LogPatternError("two fields must have a text between them")
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
        "it has no request: nginx's $request or $request_uri, or Apache's %r or %U")
    }
    // What comes behind the last field with a role is not looked at.
    let last = fields.lastIndex { $0.role != nil } ?? 0
    self.prefix = prefix
    self.fields = Array(fields[...last])
    self.text = text
  }

  /// Lines of the sample that have this pattern, with a time and a status where it has them.
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

  /// The roles of its fields.
  var roles: Set<WebRole> { Set(fields.compactMap(\.role)) }
}

/// What is wrong with a pattern.
struct LogPatternError: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

extension LogPattern: WebLayout {
  var understanding: [String] { ["lines are \(text)"] }

  func reader() -> Reader { Reader(pattern: self) }

  /// Finds the fields of lines.
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
        // A number that ends the pattern ends at a blank: what is behind it does not matter.
        let isNumber = field.role == .bytes || field.role == .status
        var found =
          field.end.isEmpty ? (isNumber ? rest.find(0x20) ?? end : end) : rest.find(field.end)
        if field.isQuoted, let place = found, place > next, place[-1] == 0x5C {
          found = Reader.endOfQuoted(rest, field.end)
        }
        // The text behind the last field may be cut off, or be the end of the line.
        if found == nil, index == last, !field.isQuoted { found = end }
        guard let found else { return .bad }
        if let role = field.role { fields[role] = TextField(next, found) }
        next = min(end, found + field.end.count)
      }
      return .request
    }

    /// The end of a field whose quotes are escaped with a backslash.
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
  /// Whether the bytes begin with `text`.
  @inline(__always) func starts(with text: [UInt8]) -> Bool {
    count >= text.count && TextField(next, next + text.count).equals(text)
  }
}

/// Reads the languages in which servers are told how to write their logs.
enum LogPatternText {
  /// A piece of a pattern.
  enum Token: Equatable {
    case text([UInt8])
    /// A field; nil for one that says nothing about caching.
    case field(WebRole?)
  }

  /// nginx's variables.
  private static let variables: [String: WebRole] = [
    "time_local": .time, "time_iso8601": .time, "msec": .seconds, "request": .request,
    "request_method": .method, "request_uri": .target, "uri": .path, "document_uri": .path,
    "args": .query, "query_string": .query, "host": .host, "http_host": .host,
    "server_name": .host, "status": .status, "body_bytes_sent": .bytes, "bytes_sent": .bytes,
    "upstream_response_time": .originSeconds, "upstream_header_time": .originSeconds,
    "request_time": .totalSeconds, "sent_http_cache_control": .cacheControl,
    "upstream_http_cache_control": .cacheControl, "sent_http_expires": .expires,
    "upstream_http_expires": .expires,
  ]

  /// Apache's and varnishncsa's fields, by letter.
  private static let letters: [Character: WebRole] = [
    "t": .time, "r": .request, "m": .method, "U": .path, "q": .query, "v": .host, "V": .host,
    "s": .status, "b": .bytes, "B": .bytes, "O": .bytes, "D": .totalMicroseconds,
    "T": .totalSeconds,
  ]

  /// The same with an argument in braces.
  private static let named: [String: WebRole] = [
    "host}i": .host, "cache-control}o": .cacheControl, "expires}o": .expires,
    "ms}T": .totalMilliseconds, "us}T": .totalMicroseconds, "s}T": .totalSeconds,
    "sec}t": .seconds, "msec}t": .milliseconds, "usec}t": .microseconds,
    "varnish:time_firstbyte}x": .originSeconds,
  ]

  /// The pieces of a pattern.
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
        // Apache writes the brackets around its time itself.
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

  /// A directive of Apache's behind its percent sign, and whether it is a time in brackets.
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

  /// Texts next to each other as one.
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

/// A log format as it stands in the configuration of nginx or Apache.
struct LogDefinition {
  /// The name that the configuration gives it; empty where it has none.
  var name: String
  /// The format itself.
  var format: String

  /// The longest configuration that is read.
  private static let lengthMaximum = 1 << 20

  /// The definitions in a text: `log_format main '...' '...';` of nginx, over several lines, and
  /// `LogFormat "..." combined` of Apache. Comments are passed over.
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

  /// The format in an option: a format, the directive that defines it, or `@file` and `@file#name`
  /// for one in a configuration; of several in a file the one that fits most of `lines`.
  ///
  /// - Throws: what is wrong, as the end of a sentence.
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

  /// The rest of nginx's directive: a name, `escape=json` or not, and parts in quotes.
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

  /// The rest of Apache's directive: a format in quotes and a name.
  private static func apache(_ words: inout Words) -> LogDefinition? {
    guard let format = words.next(stopsAtLine: true), !format.isEnd else { return nil }
    var name = ""
    while let word = words.next(stopsAtLine: true), !word.isEnd { name = word.text }
    return LogDefinition(name: name, format: format.text)
  }

  /// The words of a configuration.
  private struct Words {
    struct Word {
      var text = ""
      var isQuoted = false
      /// A semicolon, a brace or, where lines matter, the end of a line.
      var isEnd = false
      /// The first of a directive or of a line.
      var isFirst = false
    }

    private var rest: Substring
    private var isAtStart = true

    init(_ text: String) { rest = text[...] }

    /// The next word; nil at the end.
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
          // A directive of Apache ends with its line.
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

    /// The text up to the closing quote. Escapes stay, but for those of the quote.
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
