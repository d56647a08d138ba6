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

    @inline(__always)
    mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind {
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
    @inline(never)
    private static func endOfQuoted(_ field: TextField, _ end: [UInt8]) -> UnsafePointer<UInt8>? {
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
  @inline(__always)
  func starts(with text: [UInt8]) -> Bool {
    count >= text.count && TextField(next, next + text.count).equals(text)
  }
}
