/// The access logs of nginx, Apache and varnishncsa.
struct CombinedFormat: TraceFormat {
  let description = FormatDescription(
    name: "combined",
    summary: "access logs of nginx, Apache and varnishncsa: common, combined, or a log format",
    layout: """
      Text, one request per line: `host ident user [01/Mar/2026:10:00:00 +0100] "GET /a HTTP/1.1"
      200 512`, with anything behind it. Before the time may be several clients (X-Forwarded-For), a
      virtual host, and what syslog or a container puts in front: a vote of the first lines and the
      line itself decide, and a note says what was found. Another layout is given as the server has
      it in its configuration: log-format='$remote_addr [$time_local] "$request" $status
      $body_bytes_sent $upstream_response_time' (nginx) or log-format='%h %t "%r" %>s %b %D'
      (Apache, varnishncsa). A GET or HEAD whose status may be stored is a get;
      everything else is a request that nothing may store, or as `writes` says. The size of an
      object is that of its last full answer (200 or 203), never of a 304, a HEAD or a part.
      Cache-Control or Expires become TTLs, the time of the upstream (or else of the request) the
      cost in milliseconds, where they are logged. Times to the second or finer, with zones.
      """,
    suffixes: [".combined", ".combined.log"],
    parameters: [
      FormatParameter(
        name: "log-format", fallback: "",
        meaning: """
          the log_format of nginx or LogFormat of Apache, in single quotes: the format alone, the \
          whole directive, or @file for the one in a configuration that fits (@file#name names it)
          """)
    ] + WebOptions.parameters())

  /// Lines that vote on the layout, as many as are in the sample.
  private static let voters = 1000

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines()
    guard !lines.isEmpty, !ByteOrderMark.isUTF16(sample.head) else { return .none }
    return CombinedLayout(lines).fitting >= 0.9 ? .certain : .none
  }

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    let web = try WebOptions(options)
    if let text = options.text("log-format") {
      do throws(LogPatternError) {
        let pattern = try LogDefinition.pattern(text, lines: sample.lines())
        return WebDecoder(layout: pattern, options: web)
      } catch {
        throw options.wrong(
          "log-format", expected: "a log format of nginx or Apache (\(error.message))")
      }
    }
    let layout = CombinedLayout(sample.lines(CombinedFormat.voters))
    return WebDecoder(layout: layout, options: web)
  }
}
