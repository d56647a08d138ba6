import LarderEngine

/// The access logs of AWS load balancers: Application Load Balancers and classic ones.
struct ALBFormat: TraceFormat {
  let description = FormatDescription(
    name: "alb",
    summary: "access logs of AWS load balancers: application and classic",
    layout: """
      Text, one request per line: type (http, https, h2, grpcs, ws, wss; classic load balancers have
      none), time, name of the balancer, client, target, three times in seconds, status of the
      balancer and of the target, bytes received and sent, request in quotes, and fields that are
      ignored. The key is the whole URL. Sizes include the headers. The cost is the time of the
      target (the second time), in milliseconds. Gets, sizes and options as in `combined`.
      """,
    suffixes: [".alb", ".alb.log"], parameters: WebOptions.parameters())

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    return Layout().fits(sample.lines()) ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    WebDecoder(layout: Layout(), options: try WebOptions(options))
  }

  private struct Layout: WebLayout {
    var roles: Set<WebRole> { [.time, .originSeconds, .status, .bytes, .request] }
    var understanding: [String] { [] }
    func reader() -> Reader { Reader() }
  }

  private struct Reader: WebLineReader {
    mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind {
      var rest = line.trimmed
      if rest.isEmpty { return .none }
      var time = rest.takeField()
      if time.next.pointee &- 0x30 > 9 {
        // Types are words; `<190>1` begins a line of syslog.
        guard time.next.pointee &- 0x61 < 26 else { return .bad }
        time = rest.takeField()
      }
      for _ in 0..<4 { _ = rest.takeField() }
      var target = rest.takeField()
      _ = rest.takeField()
      let status = rest.takeField()
      for _ in 0..<2 { _ = rest.takeField() }
      let bytes = rest.takeField()
      rest.skipBlanks()
      guard !bytes.isEmpty, time.count >= 19, time.next[10] == 0x54,
        target.find(0x2E) != nil || target.next.pointee == 0x2D,
        rest.takeByte() == 0x22, let end = rest.endOfQuoted()
      else { return .bad }
      // -1 if no target responded.
      if target.next.pointee == 0x2D { target = TextField(target.end, target.end) }
      fields[.time] = time
      fields[.originSeconds] = target
      fields[.status] = status
      fields[.bytes] = bytes
      fields[.request] = TextField(rest.next, end)
      return .request
    }

    func problem(_ line: TextField) -> String {
      "expected 'type time balancer client target three-times two-statuses received sent "
        + "\"request\" ...', found \(line.quoted)"
    }
  }
}
