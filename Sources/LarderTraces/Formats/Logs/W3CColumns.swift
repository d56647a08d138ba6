/// The columns of a W3C extended log, by its `#Fields:` line.
struct W3CColumns: Sendable {
  /// The names, in order.
  let names: [String]
  /// The roles, in order, up to the last that is read.
  let byPlace: [WebRole?]
  /// The roles there are.
  var roles: Set<WebRole> { Set(byPlace.compactMap { $0 }) }

  private static let known: [String: WebRole] = [
    "date": .date, "time": .timeOfDay, "cs-method": .method, "cs-uri-stem": .path,
    "cs-uri-query": .query, "cs-uri": .target, "cs-host": .host, "cs(host)": .host,
    "x-host-header": .host, "sc-status": .status, "sc-bytes": .bytes,
    "sc(cache-control)": .cacheControl, "sc(expires)": .expires,
    "time-taken": .totalMilliseconds, "time-to-first-byte": .originSeconds,
  ]

  /// The columns that a line names.
  init(_ line: some Collection<UInt8>) {
    let words = line.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }).dropFirst()
    names = words.map { String(decoding: $0, as: UTF8.self) }
    let lower = names.map { $0.lowercased() }
    // CloudFront counts seconds, and has its own name for the host that was asked.
    let isCloudFront = lower.contains("x-edge-location")
    var roles = lower.map { name -> WebRole? in
      if isCloudFront, name == "time-taken" { return .totalSeconds }
      if isCloudFront, name == "cs(host)", lower.contains("x-host-header") { return nil }
      return W3CColumns.known[name]
    }
    while let last = roles.last, last == nil { roles.removeLast() }
    byPlace = roles
  }
}
