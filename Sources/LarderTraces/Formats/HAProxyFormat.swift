import LarderEngine

/// HAProxy's HTTP log.
struct HAProxyFormat: TraceFormat {
  let description = FormatDescription(
    name: "haproxy",
    summary: "HAProxy's HTTP log (option httplog)",
    layout: """
      Text, one request per line, with or without a syslog prefix: client, time in brackets (UTC if
      it has no zone), frontend, backend/server, five times in milliseconds with / between
      them, status, bytes, two cookies, termination state, connections, queues, captured headers in
      braces where there are any, request in quotes. The first captured header is the host if it is
      a server name in all lines. Sizes include the headers; a truncated response counts as a part.
      The cost is the server's time (the fourth time). Gets, sizes and
      options as in `combined`.
      """,
    suffixes: [".haproxy", ".haproxy.log"], parameters: WebOptions.parameters())

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    return Layout([]).fits(sample.lines()) ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    WebDecoder(layout: Layout(sample.lines(1000)), options: try WebOptions(options))
  }

  private struct Layout: WebLayout {
    let hasHost: Bool

    init(_ lines: [ArraySlice<UInt8>]) {
      var hosts = Set<String>()
      var (requests, named) = (0, 0)
      let fields = WebLine()
      var reader = Reader(hasHost: true)
      for line in lines {
        line.withUnsafeBufferPointer { bytes in
          guard let start = bytes.baseAddress,
            case .request = reader.read(TextField(start, start + bytes.count), into: fields)
          else { return }
          requests += 1
          if fields[.host].isFullHostName || fields[.host].isServerAddress { named += 1 }
          hosts.insert(fields[.host].text.lowercased())
        }
      }
      hasHost =
        named > 0 && named * 10 >= requests * 9
        && (hosts.count <= 10 || hosts.count * 2 <= requests)
    }

    var roles: Set<WebRole> {
      [.host, .time, .originMilliseconds, .status, .bytes, .request, .cutOff]
    }
    var understanding: [String] {
      hasHost ? ["the first captured header is the host"] : ["no captured header is read as host"]
    }
    func reader() -> Reader { Reader(hasHost: hasHost) }
  }

  private struct Reader: WebLineReader {
    let hasHost: Bool
    private var hosts = 0

    init(hasHost: Bool) { self.hasHost = hasHost }

    mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind {
      if line.trimmed.isEmpty { return .none }
      guard let time = CombinedLayout.time(in: line) else { return .bad }
      var rest = TextField(time.end + 1, line.end)
      let frontend = rest.takeField()
      guard !frontend.isEmpty else { return .bad }
      // `https-in/1: SSL handshake failure`
      if frontend.end[-1] == 0x3A { return .skipped("they report a connection without a request") }
      let server = rest.takeField()
      var times = rest.takeField()
      let status = rest.takeField()
      var bytes = rest.takeField()
      for _ in 0..<2 { _ = rest.takeField() }
      let state = rest.takeField()
      for _ in 0..<2 { _ = rest.takeField() }
      rest.skipBlanks()
      guard server.find(0x2F) != nil, state.count >= 2, !rest.isEmpty else { return .bad }
      // Times: request, queues, connection, server, total.
      for _ in 0..<3 {
        guard let slash = times.find(0x2F) else { return .bad }
        times = TextField(slash + 1, times.end)
      }
      guard let slash = times.find(0x2F), slash > times.next else { return .bad }
      let isUnknown = times.next.pointee == 0x2D
      fields[.originMilliseconds] = TextField(isUnknown ? slash : times.next, slash)
      fields[.host] = TextField(rest.next, rest.next)
      if hasHost, let host = Reader.captured(rest) {
        fields[.host] = host
        hosts += 1
      }
      guard let quote = rest.find(0x22) else { return .bad }
      rest = TextField(quote + 1, rest.trimmed.end)
      guard let end = rest.endOfQuoted() else { return .bad }
      if !bytes.isEmpty, bytes.next.pointee == 0x2B { bytes.skip() }
      fields[.time] = time
      fields[.status] = status
      fields[.bytes] = bytes
      fields[.request] = TextField(rest.next, end)
      // The second letter is the phase in which the session ended; D is the response body.
      fields[.cutOff] = state.next[1] == 0x44 ? state : TextField(state.end, state.end)
      return .request
    }

    /// The first header in braces, if it is a host name.
    private static func captured(_ text: TextField) -> TextField? {
      var rest = text
      guard rest.takeByte() == 0x7B, let close = rest.find(0x7D) else { return nil }
      let inner = TextField(rest.next, close)
      let first = TextField(inner.next, inner.find(0x7C) ?? close)
      return first.isHostName || first.isServerAddress ? first : nil
    }

    func problem(_ line: TextField) -> String {
      "expected 'client [time] frontend backend/server times status bytes ... \"request\"', found "
        + line.quoted
    }

    var kinds: [(text: String, lines: Int)] {
      [("a captured header is the host, part of the key (host=false excludes it)", hosts)]
        .filter { $0.1 > 0 }
    }
  }
}
