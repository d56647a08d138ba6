/// The access logs of nginx, Apache and varnishncsa.
struct CombinedFormat: TraceFormat {
  let description = FormatDescription(
    name: "combined",
    summary: "access logs of nginx, Apache and varnishncsa: common, combined, or a log format",
    layout: """
      Text, one request per line: `host ident user [01/Mar/2026:10:00:00 +0100] "GET /a HTTP/1.1"
      200 512`, with the name of a virtual host before it or anything behind it. Another layout is
      given as the server has it in its configuration: log-format='$remote_addr [$time_local]
      "$request" $status $body_bytes_sent $upstream_response_time' (nginx) or log-format='%h %t
      "%r" %>s %b %D' (Apache, varnishncsa). A GET or HEAD whose status may be stored is a get;
      everything else is a request that nothing may store, or as `writes` says. The size of an
      object is that of its last full answer (200 or 203), never of a 304, a HEAD or a part.
      Cache-Control or Expires become TTLs, the time of the upstream (or else of the request) the
      cost in milliseconds, where they are logged. Times to the second or finer, with zones.
      """,
    suffixes: [".combined", ".combined.log"],
    parameters: [
      FormatParameter(
        name: "log-format", fallback: "",
        meaning: "the log_format of nginx or LogFormat of Apache, in single quotes")
    ] + WebOptions.parameters())

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    let lines = sample.lines()
    guard !lines.isEmpty, !ByteOrderMark.isUTF16(sample.head) else {
      return sample.isNamed(description.suffixes) ? .certain : .none
    }
    let fitting = lines.count { CombinedFormat.pattern(of: $0) != nil }
    if fitting * 10 >= lines.count * 9 { return .certain }
    return sample.isNamed(description.suffixes) ? .certain : .none
  }

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    let web = try WebOptions(options)
    if let text = options.text("log-format") {
      switch LogPattern.parse(text) {
      case .success(let pattern): return WebDecoder(layout: pattern, options: web)
      case .failure(let error):
        throw options.wrong(
          "log-format", expected: "a log format of nginx or Apache (\(error.message))")
      }
    }
    let pattern = sample.lines().lazy.compactMap { CombinedFormat.pattern(of: $0) }.first
    return WebDecoder(layout: pattern ?? .common, options: web)
  }

  /// The pattern that a line has, judged by its time and status.
  private static func pattern(of line: ArraySlice<UInt8>) -> LogPattern? {
    line.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return nil }
      let text = TextField(start, start + bytes.count)
      let blanks = bytes.prefix { $0 != 0x5B }.count { $0 == 0x20 }
      let pattern = blanks == 4 ? LogPattern.commonWithHost : LogPattern.common
      let fields = WebLine()
      var reader = pattern.reader()
      var status = TextField(start, start)
      guard case .request = reader.read(text, into: fields) else { return nil }
      status = fields[.status]
      guard LogTime.microseconds(fields[.time]) != nil, status.count == 3,
        status.takeInteger() != nil
      else { return nil }
      return pattern
    }
  }
}
