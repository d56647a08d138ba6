/// Logs with a JSON object per line.
struct JSONLinesFormat: TraceFormat {
  let description = FormatDescription(
    name: "json-lines",
    summary: "logs with a JSON object per line: Caddy, Cloudflare, Fastly, Envoy, nginx",
    layout: """
      Text, one JSON object per line. The keys of time, id (path or URL), status, size and so on
      are named with a dot into inner objects, as in id=request.uri:size=resp.bytes; those that
      are not named are found by the names that Caddy, Cloudflare, Fastly, Envoy and nginx use.
      Times: a date, or a number since 1970 in the unit that makes it a time of our days (or as
      time-unit says). Gets, sizes, TTLs and costs as in `combined`.
      """,
    suffixes: [".jsonl", ".ndjson", ".json-lines"],
    parameters: JSONFields.options.map {
      FormatParameter(name: $0.name, fallback: "", meaning: $0.meaning)
    } + [
      FormatParameter(
        name: "time-unit", fallback: "", meaning: "unit of times that are numbers: s, ms, us or ns")
    ] + WebOptions.parameters(sizeName: "sizes"))

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    let lines = sample.lines()
    guard !lines.isEmpty, lines.allSatisfy({ $0.first { $0 != 0x20 } == 0x7B }),
      let options = try? FormatOptions(ComponentSpec(name: description.name), of: description)
    else { return .none }
    // An object without anything that could be asked for is of another format.
    let fields = try? JSONFields(options: options, lines: lines, path: sample.path)
    return fields == nil ? .none : .certain
  }

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    let web = try WebOptions(options)
    let fields = try JSONFields(options: options, lines: sample.lines(), path: sample.path)
    return WebDecoder(layout: fields, options: web)
  }
}
