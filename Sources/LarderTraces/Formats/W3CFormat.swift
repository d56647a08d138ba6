import LarderEngine

struct W3CFormat: TraceFormat {
  let description = FormatDescription(
    name: "w3c",
    summary: "W3C extended logs with a #Fields line: IIS, CloudFront",
    layout: """
      Text, one request per line, fields between tabs or runs of blanks as named by the last
      `#Fields:` line above, in quotes if they contain blanks. The fields read are date and time
      (UTC), cs-method, cs-uri-stem, cs-uri-path, cs-uri-query, cs-uri, cs-host, cs-uri-host,
      cs(Host), x-host-header, sc-status (200, TCP_HIT/200), sc-bytes, bytes, sc(Cache-Control),
      sc(Expires), timestamp, time-taken (milliseconds; seconds in CloudFront's logs and if it has
      decimals) and time-to-first-byte. Gets, sizes, TTLs and costs as in `combined`.
      """,
    suffixes: [".w3c", ".w3c.log"], parameters: WebOptions.parameters())

  private static let mark = Array("#Fields:".utf8)

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    return sample.lines(10).contains { $0.starts(with: W3CFormat.mark) } ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    let web = try WebOptions(options)
    guard let line = sample.lines().first(where: { $0.starts(with: W3CFormat.mark) }) else {
      throw TraceError(
        "no #Fields: line at the beginning", in: sample.path, at: .line(1),
        advice: "logs of this format name their fields")
    }
    let columns = W3CColumns(line, secondsTaken: W3CFormat.hasSeconds(line, sample))
    guard !columns.roles.isDisjoint(with: [.path, .target]) else {
      throw TraceError(
        "the #Fields: line names no cs-uri-stem, cs-uri-path or cs-uri", in: sample.path,
        at: .line(1))
    }
    return WebDecoder(layout: columns, options: web)
  }

  /// True if `time-taken` has a fraction, which means seconds, as in the draft of the standard.
  private static func hasSeconds(_ line: ArraySlice<UInt8>, _ sample: FormatSample) -> Bool {
    let names = W3CColumns(line, secondsTaken: false).names.map { $0.lowercased() }
    guard let place = names.firstIndex(of: "time-taken") else { return false }
    return sample.lines().contains { line in
      let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 })
      return line.first != 0x23 && words.count == names.count && words[place].contains(0x2E)
    }
  }

  struct Reader: WebLineReader {
    var columns: W3CColumns
    let secondsTaken: Bool

    mutating func read(_ line: TextField, into fields: borrowing WebLine) -> WebLineKind {
      let text = line.trimmed
      if text.isEmpty { return .none }
      if text.next.pointee == 0x23 {
        if text.starts(with: W3CFormat.mark) {
          let bytes = UnsafeBufferPointer(start: text.next, count: text.count)
          columns = W3CColumns(bytes, secondsTaken: secondsTaken)
          fields.clear()
        }
        return .none
      }
      var (tabs, quoted, words) = (
        CsvSplitter(line, delimiter: 0x09), CsvSplitter(text, delimiter: 0x20), text
      )
      let isRead =
        line.find(0x09) != nil && take(isExact: true, into: fields) { tabs.next() }
        && !tabs.isMalformed
        || take(isExact: columns.hasFreeText, into: fields) { quoted.next() }
          && !quoted.isMalformed
        || take(isExact: columns.hasFreeText, into: fields) {
          let word = words.takeField()
          return word.isEmpty ? nil : word
        }
      guard isRead else { return .bad }
      // Edgecast: `TCP_HIT/200`.
      if let slash = fields[.status].find(0x2F) {
        fields[.status] = TextField(slash + 1, fields[.status].end)
      }
      return .request
    }

    /// False for too few fields, or with `isExact` for too many, which are ambiguous.
    @inline(__always) private func take(
      isExact: Bool, into fields: borrowing WebLine, _ next: () -> TextField?
    ) -> Bool {
      let needed = isExact ? columns.names.count : columns.byPlace.count
      var count = 0
      while count < needed, let field = next() {
        if count < columns.byPlace.count, let role = columns.byPlace[count] { fields[role] = field }
        count += 1
      }
      return count == needed && (!isExact || next() == nil)
    }

    func problem(_ line: TextField) -> String {
      "expected \(columns.names.count) fields, as in #Fields:, found \(line.quoted)"
    }
  }
}

struct W3CColumns: WebLayout {
  let names: [String]
  let byPlace: [WebRole?]
  /// True if a column before the last that is read may contain blanks: more fields are ambiguous.
  let hasFreeText: Bool
  var roles: Set<WebRole> { Set(byPlace.compactMap { $0 }) }

  func reader() -> W3CFormat.Reader {
    W3CFormat.Reader(columns: self, secondsTaken: roles.contains(.totalSeconds))
  }

  /// Names of columns by role, surest first.
  private static let known: KeyValuePairs<WebRole, String> = [
    .date: "date", .timeOfDay: "time", .timestamp: "timestamp", .method: "cs-method",
    .path: "cs-uri-stem cs-uri-path", .query: "cs-uri-query", .target: "cs-uri",
    .host: "x-host-header cs(host) cs-host cs-uri-host", .status: "sc-status",
    .bytes: "sc-bytes bytes", .cacheControl: "sc(cache-control)", .expires: "sc(expires)",
    .totalMilliseconds: "time-taken", .originSeconds: "time-to-first-byte",
    .cacheStatus: "x-edge-result-type x-cache",
  ]

  init(_ line: some Collection<UInt8>, secondsTaken: Bool) {
    let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }).dropFirst()
    names = words.map { String(decoding: $0, as: UTF8.self) }
    let lower = names.map { $0.lowercased() }
    // CloudFront uses seconds, and a name of its own for the requested host.
    let isSeconds = secondsTaken || lower.contains("x-edge-location")
    var roles = [WebRole?](repeating: nil, count: lower.count)
    for (role, names) in W3CColumns.known {
      let places = names.split(separator: " ").lazy.compactMap { lower.firstIndex(of: String($0)) }
      guard let place = places.first else { continue }
      roles[place] = role == .totalMilliseconds && isSeconds ? .totalSeconds : role
    }
    while let last = roles.last, last == nil { roles.removeLast() }
    byPlace = roles
    hasFreeText = zip(lower, roles).contains { name, role in
      role == nil && (name.contains("(") || name.contains("forwarded") || name.contains("user"))
    }
  }

  var understanding: [String] {
    let read = zip(names, byPlace).compactMap { name, role in role.map { "\(name) is the \($0)" } }
    let isTimed = roles.contains(.timestamp) || roles.isSuperset(of: [.date, .timeOfDay])
    let needed: KeyValuePairs<WebRole, String> = [
      .host: "host", .status: "status (every response counts as 200)", .bytes: "size",
    ]
    let missing =
      (isTimed ? [] : ["date and time"]) + needed.filter { !roles.contains($0.key) }.map(\.value)
    let rest = zip(names, byPlace + names.map { _ in nil }).filter { $0.1 == nil }.map(\.0)
    return read
      + (missing.isEmpty ? [] : ["no column has the " + missing.joined(separator: ", the ")])
      + (rest.isEmpty ? [] : ["not used: " + rest.joined(separator: ", ")])
      + (roles.contains(.totalSeconds) ? ["time-taken is in seconds"] : [])
      + (roles.contains(.totalMilliseconds) ? ["time-taken is in milliseconds"] : [])
  }
}
