/// Which keys of a log in JSON lines have which roles.
struct JSONFields: Sendable {
  /// A key, with dots into inner objects, and what it is.
  struct Field: Sendable, Equatable {
    var name: String
    var role: WebRole
  }

  /// The fields that are read.
  let fields: [Field]

  /// What users can name, and where it is looked for when they do not, surest first: the names of
  /// Caddy, nginx, Envoy, Fastly and Cloudflare.
  static let options: [(name: String, meaning: String, role: WebRole, usual: [String])] = [
    (
      "time", "key of the time: a number since 1970 or a date", .time,
      [
        "ts", "time", "timestamp", "@timestamp", "start_time", "EdgeStartTimestamp", "datetime",
        "time_iso8601", "time_local", "msec",
      ]
    ),
    (
      "id", "key of the path, URL or id", .target,
      [
        "request.uri", "ClientRequestURI", "request_uri", "uri", "url", "path", "id", "key",
        "ClientRequestPath",
      ]
    ),
    ("request", "key of a whole request line", .request, ["request"]),
    (
      "method", "key of the method", .method,
      ["request.method", "ClientRequestMethod", "request_method", "method"]
    ),
    (
      "hostname", "key of the host", .host,
      ["request.host", "ClientRequestHost", "host", "authority", "server_name"]
    ),
    (
      "status", "key of the status", .status,
      [
        "status", "EdgeResponseStatus", "response_status", "response_code", "status_code", "code",
      ]
    ),
    (
      "size", "key of the bytes of the body", .bytes,
      [
        "size", "EdgeResponseBytes", "response_body_size", "body_bytes_sent", "bytes_sent",
        "resp_body_size", "bytes",
      ]
    ),
    (
      "cache-control", "key of the answer's Cache-Control header", .cacheControl,
      ["resp_headers.Cache-Control", "cache_control", "sent_http_cache_control"]
    ),
    (
      "expires", "key of the answer's Expires header", .expires,
      ["resp_headers.Expires", "expires"]
    ),
    ("ttl", "key of the TTL in seconds", .ttl, ["ttl"]),
    (
      "cost", "key of the time that the origin took, in milliseconds", .originMilliseconds,
      ["upstream_service_time", "OriginResponseDurationMs"]
    ),
  ]

  /// Names whose unit is another than the option's.
  private static let otherCosts: [(name: String, role: WebRole)] = [
    ("OriginResponseTime", .originNanoseconds), ("upstream_response_time", .originSeconds),
    ("request_time", .totalSeconds), ("duration", .totalSeconds),
  ]

  /// The fields that a user names, or else those of the usual names that the lines have.
  ///
  /// - Throws: when no field says what was asked for.
  init(options given: FormatOptions, lines: [ArraySlice<UInt8>], path: String) throws {
    var fields: [Field] = []
    for option in JSONFields.options {
      if let name = given.text(option.name) { fields.append(Field(name: name, role: option.role)) }
    }
    let isGiven = fields.contains { $0.role == .target || $0.role == .request }
    let names = JSONFields.options.flatMap(\.usual) + JSONFields.otherCosts.map(\.name)
    let found = JSONFields.values(of: names + fields.map(\.name), in: lines)
    for option in JSONFields.options where given.text(option.name) == nil {
      guard !(isGiven && [.target, .request].contains(option.role)) else { continue }
      guard let name = option.usual.first(where: { found[$0] != nil }) else { continue }
      fields.append(Field(name: name, role: option.role))
    }
    JSONFields.addCost(to: &fields, found)
    if fields.contains(where: { $0.role == .target }) { fields.removeAll { $0.role == .request } }
    guard fields.contains(where: { $0.role == .target || $0.role == .request }) else {
      throw TraceError(
        "no key of a path, URL or id is known", in: path, at: .line(1),
        advice: "name it, as in --format json-lines:time=ts:id=url:size=bytes:status=code")
    }
    let unit = try given.choice(FormatParameter.timeUnit.name, of: TimeUnit.self)
    self.fields = fields.map { field in
      guard field.role == .time else { return field }
      let role = JSONFields.timeRole(found[field.name] ?? "", unit)
      return Field(name: field.name, role: role)
    }
  }

  /// Envoy counts milliseconds where Caddy counts seconds.
  private static func addCost(to fields: inout [Field], _ found: [String: String]) {
    guard !fields.contains(where: { $0.role.costMilliseconds != nil }),
      let cost = otherCosts.first(where: { found[$0.name] != nil })
    else { return }
    let isEnvoy = cost.name == "duration" && found["response_code"] != nil
    fields.append(Field(name: cost.name, role: isEnvoy ? .totalMilliseconds : cost.role))
  }

  /// The role of a time that looks like `value`: a date, or a number whose unit is the one that
  /// makes it a time of our days.
  private static func timeRole(_ value: String, _ unit: TimeUnit?) -> WebRole {
    guard let number = Double(value) else { return .time }
    switch unit {
    case .seconds: return .seconds
    case .milliseconds: return .milliseconds
    case .microseconds: return .microseconds
    case .nanoseconds: return .nanoseconds
    case nil: break
    }
    if number < 1e11 { return .seconds }
    if number < 1e14 { return .milliseconds }
    return number < 1e17 ? .microseconds : .nanoseconds
  }

  /// The first value of each name in the lines, where there is one.
  private static func values(
    of names: [String], in lines: [ArraySlice<UInt8>]
  ) -> [String: String] {
    var values: [String: String] = [:]
    let scanner = JSONLineScanner(names.map(path))
    for line in lines {
      line.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress,
          scanner.scan(TextField(start, start + bytes.count))
        else { return }
        for (index, name) in names.prefix(64).enumerated()
        where values[name] == nil && !scanner.value(index).isEmpty {
          values[name] = scanner.value(index).text
        }
      }
    }
    return values
  }

  /// The keys of a name with dots.
  static func path(_ name: String) -> JSONLineScanner.Path {
    name.split(separator: ".").map { Array($0.utf8) }
  }
}

extension JSONFields: WebLayout {
  var roles: Set<WebRole> { Set(fields.map(\.role)) }

  var understanding: [String] { fields.map { "\($0.name) is the \($0.role)" } }

  func reader() -> Reader { Reader(self) }

  /// Finds the fields of lines.
  struct Reader: WebLineReader {
    private let fields: [Field]
    private let scanner: JSONLineScanner

    init(_ fields: JSONFields) {
      self.fields = fields.fields
      scanner = JSONLineScanner(fields.fields.map { JSONFields.path($0.name) })
    }

    mutating func read(_ line: TextField, into values: borrowing WebLine) -> WebLineKind {
      if line.trimmed.isEmpty { return .none }
      guard scanner.scan(line) else { return .bad }
      for (index, field) in fields.enumerated() { values[field.role] = scanner.value(index) }
      return .request
    }

    func problem(_ line: TextField) -> String {
      "expected a JSON object in one line, found \(line.quoted)"
    }
  }
}
