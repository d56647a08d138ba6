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
