/// W3C extended logs: IIS, CloudFront and others.
struct W3CFormat: TraceFormat {
  let description = FormatDescription(
    name: "w3c",
    summary: "W3C extended logs with a #Fields line: IIS, CloudFront",
    layout: """
      Text, one request per line, fields between tabs or blanks as the last `#Fields:` line above
      names them; other lines that begin with # are passed over. Read are date and time (UTC),
      cs-method, cs-uri-stem, cs-uri-query, cs-uri, cs-host, cs(Host), x-host-header, sc-status,
      sc-bytes, sc(Cache-Control), sc(Expires), time-taken (milliseconds; in CloudFront's logs
      seconds) and time-to-first-byte. Gets, sizes, TTLs and costs as in `combined`.
      """,
    suffixes: [".w3c", ".w3c.log"], parameters: WebOptions.parameters())

  private static let mark = Array("#Fields:".utf8)

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    return sample.lines(10).contains { $0.starts(with: W3CFormat.mark) } ? .certain : .none
  }

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    let web = try WebOptions(options)
    guard let line = sample.lines().first(where: { $0.starts(with: W3CFormat.mark) }) else {
      throw TraceError(
        "no #Fields: line at the beginning", in: sample.path, at: .line(1),
        advice: "logs of this format name their fields")
    }
    let columns = W3CColumns(line)
    guard !columns.roles.isDisjoint(with: [.path, .target]) else {
      throw TraceError(
        "the #Fields: line names no cs-uri-stem or cs-uri", in: sample.path, at: .line(1))
    }
    return WebDecoder(layout: Layout(columns: columns), options: web)
  }

  private struct Layout: WebLayout {
    let columns: W3CColumns
    var roles: Set<WebRole> { columns.roles }
    var understanding: [String] { ["fields are \(columns.names.joined(separator: ", "))"] }
    func reader() -> Reader { Reader(columns: columns) }
  }

  private struct Reader: WebLineReader {
    var columns: W3CColumns

    mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind {
      if line.trimmed.isEmpty { return .none }
      if line.next.pointee == 0x23 {
        if line.starts(with: W3CFormat.mark) {
          let bytes = UnsafeBufferPointer(start: line.next, count: line.count)
          columns = W3CColumns(bytes)
          fields.clear()
        }
        return .none
      }
      let delimiter: UInt8 = line.find(0x09) == nil ? 0x20 : 0x09
      var next = line.next
      for role in columns.byPlace {
        guard next < line.end else { return .bad }
        let end = TextField(next, line.end).find(delimiter) ?? line.end
        if let role { fields[role] = TextField(next, end) }
        next = end + 1
      }
      return .request
    }

    func problem(_ line: TextField) -> String {
      "expected \(columns.names.count) fields as #Fields: has, found \(line.quoted)"
    }
  }
}
