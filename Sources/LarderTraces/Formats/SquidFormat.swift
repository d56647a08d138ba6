/// Squid's native access log.
struct SquidFormat: TraceFormat {
  let description = FormatDescription(
    name: "squid",
    summary: "Squid's native access log",
    layout: """
      Text, one request per line, fields between blanks: seconds since 1970 with milliseconds,
      milliseconds that the answer took, client, result and status (TCP_MISS/200), bytes with
      headers, method, URL, and more that is not read. Gets, sizes and TTLs as in `combined`. The
      cost is what the answer took, in milliseconds, where a server was asked.
      """,
    suffixes: [".squid", ".squid.log"], parameters: WebOptions.parameters())

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines()
    let fitting = lines.count { line in
      let words = line.split(whereSeparator: { $0 == 0x20 })
      guard words.count >= 7, words[0].contains(0x2E), words[3].contains(0x2F) else {
        return false
      }
      let result = String(decoding: words[3].prefix(4), as: UTF8.self)
      return ["TCP_", "UDP_", "NONE"].contains(result)
    }
    return !lines.isEmpty && fitting * 10 >= lines.count * 9 ? .certain : .none
  }

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    WebDecoder(layout: Layout(), options: try WebOptions(options))
  }

  private struct Layout: WebLayout {
    var roles: Set<WebRole> { [.seconds, .totalMilliseconds, .status, .bytes, .method, .target] }
    var understanding: [String] { [] }
    func reader() -> Reader { Reader() }
  }

  private struct Reader: WebLineReader {
    mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind {
      var rest = line.trimmed
      if rest.isEmpty { return .none }
      fields[.seconds] = rest.takeField()
      fields[.totalMilliseconds] = rest.takeField()
      _ = rest.takeField()
      let result = rest.takeField()
      fields[.bytes] = rest.takeField()
      fields[.method] = rest.takeField()
      fields[.target] = rest.takeField()
      guard let slash = result.find(0x2F), !fields[.target].isEmpty else { return .bad }
      fields[.status] = TextField(slash + 1, result.end)
      // What came from the cache says nothing of what the origin takes.
      let isHit = TextField(result.next, slash).find(Array("HIT".utf8)) != nil
      if isHit { fields[.totalMilliseconds] = TextField(slash, slash) }
      return .request
    }

    func problem(_ line: TextField) -> String {
      "expected 'time elapsed client result/status bytes method url ...', found \(line.quoted)"
    }
  }
}
