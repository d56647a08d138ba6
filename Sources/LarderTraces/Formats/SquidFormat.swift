import LarderEngine

/// Squid's native access log.
struct SquidFormat: TraceFormat {
  let description = FormatDescription(
    name: "squid",
    summary: "Squid's native access log",
    layout: """
      Text, one request per line, fields between blanks: seconds since 1970 with milliseconds,
      milliseconds of the response, client, result and status (TCP_MISS/200, TAG_NONE/503),
      bytes with headers, method, URL, and fields that are ignored. Gets, sizes and TTLs as in
      `combined`; a truncated response (TCP_MISS_ABORTED) counts as a part. The cost is the
      response time in milliseconds, if a server was asked.
      """,
    suffixes: [".squid", ".squid.log"], parameters: WebOptions.parameters())

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines()
    let fitting = lines.count { line in
      line.withUnsafeBufferPointer { bytes in
        bytes.baseAddress.map { SquidFormat.isLine(TextField($0, $0 + bytes.count)) } ?? false
      }
    }
    return !lines.isEmpty && fitting * 10 >= lines.count * 9 ? .certain : .none
  }

  /// True for seconds with a fraction, a whole number, a client, and the name of a result with a
  /// status of three digits: TCP_MISS/200, TAG_NONE/503, NONE/400.
  private static func isLine(_ line: TextField) -> Bool {
    var rest = line.trimmed
    if !rest.isEmpty, rest.next.pointee &- 0x30 > 9 { rest = LogPrefix.removed(from: rest) }
    let time = rest.takeField()
    var elapsed = rest.takeField()
    _ = rest.takeField()
    var result = rest.takeField()
    for _ in 0..<2 { _ = rest.takeField() }
    guard time.find(0x2E) != nil, TimeUnit.seconds.microseconds(time) != nil,
      elapsed.takeInteger() != nil, elapsed.isEmpty, let slash = result.find(0x2F),
      slash - result.next >= 3, !rest.takeField().isEmpty
    else { return false }
    while result.next < slash, let byte = result.takeByte() {
      guard byte &- 0x41 < 26 || byte == 0x5F || byte &- 0x30 <= 9 else { return false }
    }
    result.skip()
    return result.count == 3 && result.takeInteger() != nil && result.isEmpty
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    WebDecoder(layout: Layout(), options: try WebOptions(options))
  }

  private struct Layout: WebLayout {
    var roles: Set<WebRole> {
      [.seconds, .totalMilliseconds, .status, .bytes, .method, .target, .cutOff, .cacheStatus]
    }
    var understanding: [String] { [] }
    func reader() -> Reader { Reader() }
  }

  private struct Reader: WebLineReader {
    private static let hit = Array("HIT".utf8)
    private static let cuts = ["_ABORTED", "_TIMEDOUT"].map { Array($0.utf8) }

    mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind {
      var rest = line.trimmed
      if rest.isEmpty { return .none }
      if rest.next.pointee &- 0x30 > 9 { rest = LogPrefix.removed(from: rest) }
      fields[.seconds] = rest.takeField()
      fields[.totalMilliseconds] = rest.takeField()
      _ = rest.takeField()
      let result = rest.takeField()
      fields[.bytes] = rest.takeField()
      fields[.method] = rest.takeField()
      fields[.target] = rest.takeField()
      guard let slash = result.find(0x2F), !fields[.target].isEmpty else { return .bad }
      let code = TextField(result.next, slash)
      fields[.status] = TextField(slash + 1, result.end)
      fields[.cacheStatus] = code
      let isCutOff = Reader.cuts.contains { code.ends(with: $0) }
      fields[.cutOff] = TextField(isCutOff ? code.next : slash, slash)
      // Hits give no information on the origin's response time.
      let isHit = code.find(Reader.hit) != nil
      if isHit { fields[.totalMilliseconds] = TextField(slash, slash) }
      return .request
    }

    func problem(_ line: TextField) -> String {
      "expected 'time elapsed client result/status bytes method url ...', found \(line.quoted)"
    }
  }
}
