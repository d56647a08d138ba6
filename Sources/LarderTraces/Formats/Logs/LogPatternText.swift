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
