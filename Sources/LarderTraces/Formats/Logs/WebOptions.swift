/// The options that all web logs have, in one place.
struct WebOptions: Sendable {
  /// What becomes of the query in the key.
  enum Query: Sendable, Equatable {
    case keep
    case drop
    /// The named parameters, in this order.
    case only([[UInt8]])
  }

  /// What becomes of requests that write.
  enum Writes: String, CaseIterable, Sendable {
    /// They pass the cache.
    case pass
    /// A successful one removes the object.
    case invalidate
    /// They are left out.
    case skip
  }

  /// The case of paths in the key.
  enum Case: String, CaseIterable, Sendable {
    case keep
    case ignore
  }

  var reads: [[UInt8]] = ["GET", "HEAD"].map { Array($0.utf8) }
  var writes = Writes.pass
  var cacheable: Set<Int> = [200, 203, 206, 301, 304, 404, 410]
  var query = Query.keep
  var hasHost = true
  var ignoresCase = false

  /// The parameters of a format whose `size` option is called `sizeName`.
  static func parameters(sizeName: String = "size") -> [FormatParameter] {
    [
      FormatParameter(
        name: "methods", fallback: "GET,HEAD", meaning: "methods that a cache may answer"),
      FormatParameter(
        name: "writes", fallback: "pass",
        meaning: """
          PUT, POST, PATCH and DELETE: pass (requests that nothing may store), invalidate (a \
          successful one removes the object) or skip
          """),
      FormatParameter(
        name: "cacheable", fallback: "200,203,206,301,304,404,410",
        meaning: "status codes that may be stored; others are requests that nothing may store"),
      FormatParameter(
        name: "query", fallback: "keep",
        meaning: "query string in the key: keep or drop"),
      FormatParameter(
        name: "only", fallback: "", meaning: "query parameters in the key; all others are dropped"),
      FormatParameter(
        name: "host", fallback: "true", meaning: "false leaves the host out of the key"),
      FormatParameter(
        name: "case", fallback: "keep", meaning: "ignore: keys do not differ by case alone"),
      .size(.lastFull, named: sizeName), .maxBad,
    ]
  }

  /// The options that are given.
  init(_ options: FormatOptions) throws(ComponentError) {
    if let methods = options.list("methods") {
      reads = methods.map { Array($0.uppercased().utf8) }
      if reads.isEmpty { throw options.wrong("methods", expected: "methods such as GET,HEAD") }
    }
    writes = try options.choice("writes", of: Writes.self) ?? .pass
    if let codes = options.list("cacheable") {
      let numbers = codes.compactMap { Int($0) }.filter { (100...999).contains($0) }
      guard numbers.count == codes.count, !numbers.isEmpty else {
        throw options.wrong("cacheable", expected: "status codes such as 200,404")
      }
      cacheable = Set(numbers)
    }
    switch options.text("query")?.lowercased() {
    case nil, "keep": query = .keep
    case "drop": query = .drop
    default: throw options.wrong("query", expected: "keep or drop; only=a,b keeps some")
    }
    if let names = options.text("only") {
      let list = names.split(separator: ",").map { Array($0.utf8) }
      guard !list.isEmpty, options.text("query") == nil else {
        throw options.wrong(
          "only", expected: "names of query parameters such as a,b, and no query=")
      }
      query = .only(list)
    }
    hasHost = try options.flag("host") ?? true
    ignoresCase = try options.choice("case", of: Case.self) == .ignore
  }

  /// What the options come to, in sentences.
  var understanding: [String] {
    let methods = reads.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
    let codes = cacheable.sorted().map { "\($0)" }.joined(separator: ", ")
    let text =
      switch query {
      case .keep: "with its query"
      case .drop: "without its query"
      case .only(let names):
        "with " + names.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
          + " of its query"
      }
    return [
      "key: the path \(text)\(hasHost ? ", after the host where it is logged" : "")",
      "a cache may answer \(methods) and store \(codes); writes: \(writes.rawValue)",
    ]
  }
}
