/// Logs with a JSON object per line.
struct JSONLinesFormat: TraceFormat {
  let description = FormatDescription(
    name: "json-lines",
    summary: "logs with a JSON object per line: Caddy, Traefik, Envoy, nginx, ECS, clouds",
    layout: """
      Text, one JSON object per line. The keys of time, id (path or URL), query, host, status, size
      and so on are named with a dot into inner objects, as in id=request.uri:size=resp.bytes; those
      that are not named are found by the names that nginx, ingress-nginx, Caddy, Traefik, Envoy,
      HAProxy, Apache, Fastly, Cloudflare, CloudFront, the load balancers and gateways of AWS,
      Google and Azure, ECS and loggers of Node use; case, - and _ in names do not matter. A note
      says which were found. Times: a date, or a number since 1970 in the unit that makes it a time
      of our days (or as time-unit says). Costs: in the unit that key or value tell (or as cost-unit
      says). Lines of a log that are texts in JSON, as Docker keeps them, are read in their own
      format. Gets, sizes, TTLs and costs as in `combined`.
      """,
    suffixes: [".jsonl", ".ndjson", ".json-lines"],
    parameters: JSONRole.allCases.map {
      FormatParameter(name: $0.rawValue, fallback: "", meaning: $0.meaning + "; - for none")
    } + [
      FormatParameter(
        name: "line", fallback: "", meaning: "key of a whole log line, as Docker's log"),
      FormatParameter(
        name: "time-unit", fallback: "",
        meaning: "unit of times that are numbers: s, ms, us or ns"),
      FormatParameter(
        name: "cost-unit", fallback: "",
        meaning: "unit of costs without a unit of their own: s, ms, us or ns"),
    ] + WebOptions.parameters(sizeName: "sizes"))

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    let lines = sample.lines(JSONLinesFormat.linesMaximum)
    guard let options = try? FormatOptions(ComponentSpec(name: description.name), of: description)
    else { return .none }
    guard lines.count(where: { $0.first { $0 != 0x20 } == 0x7B }) * 10 >= lines.count * 9,
      !lines.isEmpty
    else { return JSONLinesFormat.isOtherJSON(sample) ? .likely : .none }
    // An object without anything that could be asked for may be of another format.
    let decoder = try? decoder(options: options, sample: sample)
    if decoder != nil { return .certain }
    let isJSON = JSONKeys(lines).objects > 0 || JSONLinesFormat.isOtherJSON(sample)
    return isJSON ? .likely : .none
  }

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    let web = try WebOptions(options)
    let lines = sample.lines(JSONLinesFormat.linesMaximum)
    let keys = JSONKeys(lines)
    if let name = options.text("line"), name != "-" {
      if let key = keys.key(name), let inner = try decoder(of: key, options, sample, lines) {
        return inner
      }
      throw options.wrong("line", expected: "a key whose texts are lines of a log that is known")
    }
    let isGiven = [JSONRole.id, .request].contains { options.text($0.rawValue) != nil }
    let fields = Result { try JSONFields(options: options, keys: keys, path: sample.path) }
    let isSure = (try? fields.get().isSure) ?? false
    if !isGiven, !isSure, options.text("line") == nil {
      for name in InnerLines.names {
        guard let key = keys.key(name) else { continue }
        if let inner = try decoder(of: key, options, sample, lines) { return inner }
      }
    }
    return WebDecoder(layout: try fields.get(), options: web)
  }

  /// The first lines that are looked at, as far as the sample has them.
  private static let linesMaximum = 1000

  /// The decoder of the lines under a key; nil where they are of no format that is sure of them.
  private func decoder(
    of key: JSONKeys.Key, _ options: FormatOptions, _ sample: FormatSample,
    _ lines: [ArraySlice<UInt8>]
  ) throws -> InnerLinesDecoder? {
    let inner = InnerLines(key)
    let innerSample = inner.sample(of: sample, lines)
    guard key.values.count * 2 > lines.count, key.count(where: { $0.count > 10 }) > 0 else {
      return nil
    }
    let formats = FormatRegistry.all.filter { $0.recognise(innerSample) == .certain }
    guard formats.count == 1, let format = formats.first else { return nil }
    let known = format.description.parameters.map(\.name)
    var values: [String: String] = [:]
    for parameter in description.parameters.map(\.name) {
      guard let value = options.text(parameter) else { continue }
      let name = known.contains(parameter) ? parameter : parameter == "sizes" ? "size" : ""
      if known.contains(name) { values[name] = value }
    }
    values["line"] = nil
    let innerOptions = try FormatOptions(
      ComponentSpec(name: format.description.name, values: values), of: format.description)
    return InnerLinesDecoder(
      lines: inner, format: format.description.name,
      decoder: try format.decoder(options: innerOptions, sample: innerSample))
  }

  /// True for an array of objects, or an object over several lines.
  private static func isOtherJSON(_ sample: FormatSample) -> Bool {
    var rest = sample.head.drop { $0 <= 0x20 }
    guard let first = rest.popFirst(), first == 0x5B || first == 0x7B else { return false }
    rest = rest.drop { $0 <= 0x20 }
    return rest.first == (first == 0x5B ? 0x7B : 0x22)
  }
}
