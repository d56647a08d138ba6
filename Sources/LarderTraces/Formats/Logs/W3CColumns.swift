/// The columns of a W3C extended log, by its `#Fields:` line.
struct W3CColumns: Sendable {
  /// The names, in order.
  let names: [String]
  /// The roles, in order, up to the last that is read.
  let byPlace: [WebRole?]
  /// True where a column before the last that is read can hold blanks, so that a line with too many
  /// fields cannot be told apart.
  let hasFreeText: Bool
  /// The roles there are.
  var roles: Set<WebRole> { Set(byPlace.compactMap { $0 }) }

  private static let known: [String: WebRole] = [
    "date": .date, "time": .timeOfDay, "cs-method": .method, "cs-uri-stem": .path,
    "cs-uri-path": .path, "cs-uri-query": .query, "cs-uri": .target, "cs-host": .host,
    "cs-uri-host": .host, "cs(host)": .host, "x-host-header": .host, "sc-status": .status,
    "sc-bytes": .bytes, "bytes": .bytes,
    "sc(cache-control)": .cacheControl, "sc(expires)": .expires,
    "time-taken": .totalMilliseconds, "time-to-first-byte": .originSeconds,
  ]

  /// Names of a role, surest first, where a log can have several.
  private static let ranks: [WebRole: [String]] = [
    .host: ["x-host-header", "cs(host)", "cs-host", "cs-uri-host"],
    .path: ["cs-uri-stem", "cs-uri-path"], .bytes: ["sc-bytes", "bytes"],
  ]

  /// The columns that a line names.
  ///
  /// - Parameter secondsTaken: `time-taken` is in seconds.
  init(_ line: some Collection<UInt8>, secondsTaken: Bool) {
    let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }).dropFirst()
    names = words.map { String(decoding: $0, as: UTF8.self) }
    let lower = names.map { $0.lowercased() }
    // CloudFront counts seconds, and has its own name for the host that was asked.
    let isSeconds = secondsTaken || lower.contains("x-edge-location")
    var roles = lower.enumerated().map { index, name -> WebRole? in
      if isSeconds, name == "time-taken" { return .totalSeconds }
      guard lower.firstIndex(of: name) == index, let role = W3CColumns.known[name] else {
        return nil
      }
      let surest = W3CColumns.ranks[role]?.first { lower.contains($0) }
      return (surest ?? name) == name ? role : nil
    }
    while let last = roles.last, last == nil { roles.removeLast() }
    byPlace = roles
    hasFreeText = zip(lower, roles).contains { name, role in
      role == nil && (name.contains("(") || name.contains("forwarded") || name.contains("user"))
    }
  }

  /// What the columns are read as, and which roles none has, in sentences.
  var understanding: [String] {
    let read = zip(names, byPlace).compactMap { name, role in role.map { "\(name) is the \($0)" } }
    var missing: [String] = []
    if !roles.contains(.date) || !roles.contains(.timeOfDay) { missing.append("date and time") }
    if !roles.contains(.host) { missing.append("host") }
    if !roles.contains(.status) { missing.append("status (every answer is a 200)") }
    if !roles.contains(.bytes) { missing.append("size") }
    let rest = zip(names, byPlace + names.map { _ in nil }).filter { $0.1 == nil }.map(\.0)
    return read
      + (missing.isEmpty ? [] : ["no column has the " + missing.joined(separator: ", the ")])
      + (rest.isEmpty ? [] : ["not used: " + rest.joined(separator: ", ")])
  }
}
