import LarderEngine

/// A web log of one program, whose lines have a fixed pattern. A new one is a row of `all`.
struct ServerLog: TraceFormat {
  let description: FormatDescription
  /// Patterns of lines; a line has the first one that it matches.
  let patterns: [LogPattern]
  /// Adapts the fields of a line to their roles.
  private let finish: @Sendable (borrowing WebLine) -> WebLineKind
  /// Reason to skip a line that matches no pattern; nil for a bad line.
  private let skips: @Sendable (TextField) -> StaticString?
  /// True if the host is part of the key only if the first lines have names of hosts there.
  private let guessesHost: Bool
  private let understanding: [String]

  private init(
    _ name: String, _ summary: String, _ layout: String, patterns: [String],
    guessesHost: Bool = false, understanding: [String] = [],
    finish: @escaping @Sendable (borrowing WebLine) -> WebLineKind,
    skips: @escaping @Sendable (TextField) -> StaticString? = { _ in nil }
  ) {
    description = FormatDescription(
      name: name, summary: summary, layout: layout, suffixes: [".\(name)", ".\(name).log"],
      parameters: WebOptions.parameters())
    self.patterns = LogPattern.known(patterns)
    (self.guessesHost, self.understanding) = (guessesHost, understanding)
    (self.skips, self.finish) = (skips, finish)
  }

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    return Layout(format: self).fits(sample.lines()) ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    var layout = Layout(format: self)
    if guessesHost { layout.guessHost(sample.lines(1000)) }
    return WebDecoder(layout: layout, options: try WebOptions(options))
  }

  private struct Layout: WebLayout {
    let format: ServerLog
    var hasHost = true
    var roles: Set<WebRole> { format.patterns.reduce(into: []) { $0.formUnion($1.roles) } }

    var understanding: [String] {
      if !format.guessesHost { return format.understanding }
      return [
        hasHost ? "the first captured header is the host" : "no captured header is read as host"
      ]
    }

    func reader() -> Reader { Reader(layout: self) }

    mutating func guessHost(_ lines: [ArraySlice<UInt8>]) {
      var hosts = Set<String>()
      var (requests, named) = (0, 0)
      let fields = WebLine()
      var reader = reader()
      for line in lines {
        line.withTextField { line in
          guard case .request = reader.read(line, into: fields) else { return }
          requests += 1
          if fields[.host].isFullHostName || fields[.host].isServerAddress { named += 1 }
          hosts.insert(fields[.host].text.lowercased())
        }
      }
      hasHost =
        named > 0 && named * 10 >= requests * 9
        && (hosts.count <= 10 || hosts.count * 2 <= requests)
    }
  }

  private struct Reader: WebLineReader {
    let layout: Layout
    private var hosts = 0

    init(layout: Layout) { self.layout = layout }

    mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind {
      if line.trimmed.isEmpty { return .none }
      fields.clear()
      var isRead = false
      for pattern in layout.format.patterns where !isRead {
        isRead = pattern.read(line, into: fields)
      }
      guard isRead else { return layout.format.skips(line).map { .skipped($0) } ?? .bad }
      let kind = layout.format.finish(fields)
      if !layout.hasHost { fields[.host] = TextField(line.end, line.end) }
      if layout.format.guessesHost, !fields[.host].isEmpty { hosts += 1 }
      return kind
    }

    func problem(_ line: TextField) -> String {
      "expected a line such as \(layout.format.patterns[0].text), found \(line.quoted)"
    }

    var kinds: [(text: String, lines: Int)] {
      let text = "a captured header is the host, part of the key (host=false excludes it)"
      return hosts > 0 ? [(text, hosts)] : []
    }
  }
}

extension ServerLog {
  static let all = [squid, haproxy, s3, alb]

  private static let squid = ServerLog(
    "squid", "Squid's native access log",
    """
    Text, one request per line, fields between blanks: seconds since 1970 with milliseconds,
    milliseconds of the response, client, result and status (TCP_MISS/200, TAG_NONE/503), bytes
    with headers, method, URL, and fields that are ignored. Gets, sizes and TTLs as in `combined`;
    a truncated response (TCP_MISS_ABORTED) counts as a part. The cost is the response time in
    milliseconds, if a server was asked.
    """,
    patterns: ["$seconds $totalMilliseconds $client $cacheStatus/$status $bytes $method $target"]
  ) { line in
    let result = line[.cacheStatus]
    guard result.count >= 3, (0..<result.count).allSatisfy({ isResult(result.next[$0]) }) else {
      return .bad
    }
    if ["_ABORTED", "_TIMEDOUT"].contains(where: { result.ends(with: Array($0.utf8)) }) {
      line[.cutOff] = result
    }
    // Hits give no information on the origin's response time.
    if result.find(Array("HIT".utf8)) != nil {
      line[.totalMilliseconds] = TextField(result.end, result.end)
    }
    return .request
  }

  private static func isResult(_ byte: UInt8) -> Bool {
    byte &- 0x41 < 26 || byte == 0x5F || byte &- 0x30 <= 9
  }

  private static let haproxy = ServerLog(
    "haproxy", "HAProxy's HTTP log (option httplog)",
    """
    Text, one request per line, with or without a syslog prefix: client, time in brackets (UTC if
    it has no zone), frontend, backend/server, five times in milliseconds with / between them,
    status, bytes, two cookies, termination state, connections, queues, captured headers in braces
    where there are any, request in quotes. The first captured header is the host if it is a
    server name in all lines. Sizes include the headers; a truncated response counts as a part.
    The cost is the server's time (the fourth time). Gets, sizes and options as in `combined`.
    """,
    patterns: [
      "$client [$time] $frontend $backend/$server $a/$b/$c/$originMilliseconds/$d $status $bytes "
        + #"$cookie $cookie $cutOff $connections $queues $host"$request""#
    ],
    guessesHost: true,
    finish: { line in
      // The second letter is the phase in which the session ended; D is the response body.
      let (state, bytes) = (line[.cutOff], line[.bytes])
      if state.count < 2 { return .bad }
      if state.next[1] != 0x44 { line[.cutOff] = TextField(state.end, state.end) }
      if bytes.next.pointee == 0x2B { line[.bytes] = TextField(bytes.next + 1, bytes.end) }
      var captured = line[.host]
      line[.host] = TextField(captured.end, captured.end)
      if captured.takeByte() == 0x7B, let close = captured.find(0x7D) {
        let inner = TextField(captured.next, close)
        let first = TextField(inner.next, inner.find(0x7C) ?? close)
        if first.isHostName || first.isServerAddress { line[.host] = first }
      }
      return .request
    },
    skips: { line in
      // `https-in/1: SSL handshake failure`
      guard let time = CombinedLayout.time(in: line) else { return nil }
      var rest = TextField(time.end + 1, line.end)
      let frontend = rest.takeField()
      return frontend.isEmpty || frontend.end[-1] != 0x3A
        ? nil : "they report a connection without a request"
    })

  private static let alb = ServerLog(
    "alb", "access logs of AWS load balancers: application and classic",
    """
    Text, one request per line: type (http, https, h2, grpcs, ws, wss; classic load balancers have
    none), time, name of the balancer, client, target, three times in seconds, status of the
    balancer and of the target, bytes received and sent, request in quotes, and fields that are
    ignored. The key is the whole URL. Sizes include the headers. The cost is the time of the
    target (the second time), in milliseconds. Gets, sizes and options as in `combined`.
    """,
    patterns: ["$type ", ""].map {
      $0 + "$time $balancer $client $target_address $a $originSeconds $b $status $c $received "
        + #"$bytes "$request""#
    }
  ) { line in
    let time = line[.time]
    return time.count >= 19 && time.next[10] == 0x54 ? .request : .bad
  }

  private static let s3 = ServerLog(
    "s3", "access logs of Amazon S3: server access logging",
    """
    Text, one request per line: owner, bucket, time in brackets, client, requester, request id,
    operation, key, request in quotes, status, error, bytes sent, object size, total time,
    turn-around time in milliseconds, and fields that are ignored. The key of an object is bucket
    and key, with the requested version. REST.GET.OBJECT and REST.HEAD.OBJECT are gets
    (WEBSITE.GET.OBJECT too); PUT, COPY, POST.UPLOAD and POST.OBJECT write, DELETE and
    S3.EXPIRE.OBJECT delete, as set by `writes`; other operations on a key bypass the cache, and
    those without a key are skipped. The size of an object is the object size, or else as in
    `combined`. The cost is the turn-around time. Options as in `combined`.
    """,
    patterns: [#""$request""#, "$request"].map {
      "$owner $host [$time] $client $requester $id $method $target \($0) $status $error $bytes "
        + "$objectBytes $total $originMilliseconds"
    },
    understanding: ["an object is a bucket and a key"]
  ) { line in
    let (bucket, operation, key) = (line[.host], line[.method], line[.target])
    guard bucket.find(0x20) == nil, operation.find(0x2E) != nil else { return .bad }
    if key.isNothing { return .skipped("they are not operations on an object") }
    // Actions of S3 itself have no status.
    if line[.status].isNothing { line[.status] = TextField(key.end, key.end) }
    line[.method] = method(of: operation)
    line[.query] = version(in: line[.request])
    // Includes the blank before it, which separates bucket and key.
    line[.target] = TextField(key.next - 1, key.end)
    return .request
  }

  private static let methods: [String: StaticString] = [
    "GET": "GET", "HEAD": "HEAD", "PUT": "PUT", "COPY": "PUT", "POST": "POST", "DELETE": "DELETE",
    "EXPIRE": "DELETE",
  ]

  /// HTTP method of an operation such as REST.GET.OBJECT; the operation itself if it is not on an
  /// object.
  private static func method(of operation: TextField) -> TextField {
    let words = operation.text.split(separator: ".")
    guard words.count > 2, ["OBJECT", "UPLOAD"].contains(words[words.count - 1]),
      let method = methods[String(words[1])]
    else { return operation }
    return TextField(method.utf8Start, method.utf8Start + method.utf8CodeUnitCount)
  }

  /// Version of a request: `versionId=...`.
  private static func version(in request: TextField) -> TextField {
    guard let mark = request.find(0x3F),
      let start = TextField(mark + 1, request.end).find(Array("versionId=".utf8))
    else { return TextField(request.end, request.end) }
    let rest = TextField(start, request.end)
    return TextField(start, rest.find(0x26) ?? rest.find(0x20) ?? rest.end)
  }
}
