/// Role of a key of a log in JSON lines; the raw value is the option that names the key.
enum JSONRole: String, CaseIterable, Sendable {
  case time, id, request, method
  case host = "hostname"
  case query = "query-key"
  case status, size
  case cacheControl = "cache-control"
  case expires, ttl, cost
  case cacheStatus = "cache-status"
  case operation = "op"

  var meaning: String {
    switch self {
    case .time: "key of the time: a number since 1970 or a date"
    case .id: "key of the path, URL or id"
    case .request: "key of a whole request line"
    case .method: "key of the method"
    case .host: "key of the host"
    case .query: "key of the query string, for paths without one"
    case .status: "key of the status"
    case .size: "key of the bytes of the body"
    case .cacheControl: "key of the response's Cache-Control header"
    case .expires: "key of the response's Expires header"
    case .ttl: "key of the TTL in seconds"
    case .cost: "key of the origin's response time, in milliseconds or in cost-unit"
    case .cacheStatus: "key of the outcome in the cache that wrote the log, such as HIT"
    case .operation: "key of the operation in a cache's own log: get, set, delete"
    }
  }

  /// Role in a web log; that of times and costs depends on their unit.
  var webRole: WebRole {
    switch self {
    case .time: .timestamp
    case .id: .target
    case .request: .request
    case .method: .method
    case .host: .host
    case .query: .query
    case .status: .status
    case .size: .bytes
    case .cacheControl: .cacheControl
    case .expires: .expires
    case .ttl: .ttl
    case .cost: .originMilliseconds
    case .cacheStatus: .cacheStatus
    case .operation: .operation
    }
  }

  /// Consequence of a missing key; nil if requests keep their meaning.
  var absence: String? {
    switch self {
    case .time: "no time found: requests have no times"
    case .method: "no method found: every request counts as a GET"
    case .status: "no status found: every response counts as 200"
    case .size: "no size found: objects have no sizes"
    case .host: "no host found: equal paths of several hosts are one object"
    case .query: "no query found"
    default: nil
    }
  }

  /// Usual names, surest first. Case, `-` and `_` are ignored.
  var names: [String] {
    switch self {
    case .time: JSONRole.times
    case .id: JSONRole.urls + JSONRole.paths + JSONRole.ids
    case .request: JSONRole.requestLines
    case .method: JSONRole.methods
    case .host: JSONRole.hosts
    case .query: JSONRole.queries
    case .status: JSONRole.statuses
    case .size: JSONRole.sizes
    case .cacheControl: JSONRole.headers("cache_control")
    case .expires: JSONRole.headers("expires") + ["expires"]
    case .ttl: ["ttl", "cache_ttl"]
    case .cost: JSONCost.all.map(\.name)
    case .cacheStatus: JSONRole.cacheStatuses
    case .operation: CsvRole.operation.usualNames
    }
  }

  /// True for values that fit the role.
  func accepts(_ value: TextField) -> Bool {
    var rest = value
    switch self {
    case .id, .query, .cacheControl, .expires: return true
    case .request:
      guard let line = RequestLine(value), let first = line.target.takenFirst else { return false }
      return [UInt8(ascii: "/"), UInt8(ascii: "h"), UInt8(ascii: "*")].contains(first)
    case .method:
      return value.count <= 16 && JSONRole.verbs.contains(value.text.uppercased())
    case .host: return JSONRole.isHost(value)
    case .status:
      guard let number = rest.takeInteger(), rest.isEmpty || rest.isZeroFraction else {
        return false
      }
      return number == 0 || (100..<600).contains(number)
    case .size, .ttl:
      return rest.takeInteger() != nil && (rest.isEmpty || rest.isZeroFraction)
    case .time:
      if let number = Double(value.text) { return number >= 1e8 }
      return LogTime.microseconds(value) != nil
    case .cost: return JSONRole.isDuration(value)
    case .cacheStatus: return value.count >= 3 && rest.takeInteger() == nil
    case .operation: return CsvOperations.words.meaning(of: value.text) != nil
    }
  }

  /// False for addresses and lists, which belong to clients.
  private static func isHost(_ value: TextField) -> Bool {
    if value.find(0x2C) != nil || value.find(0x20) != nil { return false }
    if value.isServerAddress { return true }
    if value.takenFirst == UInt8(ascii: "[") { return false }
    if value.countOf(0x3A) > 1 { return false }
    return !value.allBytes { $0 &- 0x30 <= 9 || $0 == 0x2E || $0 == 0x3A }
  }

  private static func isDuration(_ value: TextField) -> Bool {
    guard let sum = CostField.sum(value, times: 1), sum < 1e12 else { return false }
    var previous: UInt8 = 0
    return value.allBytes { byte in
      defer { previous = byte }
      if byte == 0x2F || (byte == 0x2D && previous &- 0x30 <= 9) { return false }
      return byte != 0x5A && !(byte == 0x54 && previous &- 0x30 <= 9)
    }
  }

  private static let verbs: Set<String> = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PURGE", "BAN",
    "PROPFIND", "PROPPATCH", "REPORT", "SEARCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK",
  ]

  // Names of nginx, ingress-nginx, Caddy, Traefik, Envoy, HAProxy, Apache, Fastly, Cloudflare,
  // CloudFront, load balancers and gateways of AWS, Google and Azure, ECS, OpenTelemetry, and
  // loggers of Node.

  private static let times = [
    "StartUTC", "ts", "time", "timestamp", "@timestamp", "start_time", "EdgeStartTimestamp",
    "datetime", "time_iso8601", "time_local", "msec", "timestamp(ms)", "time_start",
    "requestTimeEpoch", "request_time", "date", "event.start", "StartLocal", "time_ms", "ts_ms",
    "timestamp_ms", "timestamp_us", "timestamp_ns", "epoch", "unixtime", "datestamp",
    "EdgeEndTimestamp", "receiveTimestamp", "request_date", "haproxy_dateTime", "time_end",
    "eventTime", "event_time", "log_time", "created_at", "request.start_gmt", "datetime_gmt", "t",
    "started_at", "reqTimeSec", "start_date",
  ]

  static let urls = [
    "request.uri", "ClientRequestURI", "request_uri", "RequestPath", "httpRequest.requestUrl",
    "url.original", "url.full", "originalRequestUriWithArgs", "req.originalUrl", "req.url",
    "request.url", "http.request.uri", "http.url", "http.target", "originalUrl", "request_url",
    "cs-uri", "http_url", "http_uri", "full_url", "full_uri", "url",
    "req_url", "req_uri",
  ]
  static let requestLines = [
    "RequestLine", "request_line", "request", "http_request", "req", "http.request.line",
    "requested_url",
  ]
  static let paths = [
    "uri", "path", "url.path", "ClientRequestPath", "request.path", "request_path", "req.path",
    "cs-uri-stem", "http_path", "http.path", "document_uri", "pathname", "urlpath", "resourcePath",
    "request.hp", "http.route", "reqPath",
    "requested_uri", "request",
  ]
  static let ids = [
    "id", "key", "object", "object_id", "obj_id", "cache_key", "obj", "obj_key", "object_key",
    "item", "item_id", "item_key", "content_id", "asset_id", "key_id", "key_hash", "hashed_key",
  ]

  static let methods = [
    "request.method", "ClientRequestMethod", "request_method", "http.request.method",
    "httpRequest.requestMethod", "method", "http_method", "req.method", "cs-method", "verb",
    "request_verb", "http_verb", "http.method", "request.verb", "reqMethod", "request",
  ]

  private static let hosts = [
    "request.host", "ClientRequestHost", "RequestHost", "url.domain", "host", "http_host", "vhost",
    "virtual_host", "x-host-header", "cs(Host)", "cs-host", "authority", ":authority", "domain",
    "domain_name", "server_name", "req.headers.host", "request.headers.host", "headers.host",
    "request.header.host", "http.request.headers.host", "http.host", "host_header",
    "request_host", "req.host", "req.hostname", "original_host", "properties.hostName", "reqHost",
    "site",
  ]

  private static let queries = [
    "request_query", "args", "query", "query_string", "url.query", "cs-uri-query",
    "request.query", "request_args", "request_param", "http_query", "urlquery", "uri_query",
    "req.query", "raw_query", "request.query_string", "http.request.query", "request.hq",
    "query_params", "queryStr",
  ]

  private static let cacheStatuses = [
    "upstream_cache_status", "CacheCacheStatus", "cache_status", "x-edge-result-type",
    "fastly_info.state", "cache_result", "x_cache", "x-cache", "cache_state",
  ]

  private static let statuses = [
    "status", "EdgeResponseStatus", "DownstreamStatus", "response_status", "response_code",
    "status_code", "httpRequest.status", "http.response.status_code", "res.statusCode",
    "res.status", "response.status", "response.status_code", "resp.status", "sc-status",
    "http_status_code", "http_status", "elb_status_code", "response", "http.status_code",
    "http.status", "resp_status", "http_code", "code", "result_code", "OriginStatus",
    "reply_status",
  ]

  private static let sizes = [
    "size", "EdgeResponseBodyBytes", "EdgeResponseBytes", "http.response.body.bytes",
    "response_body_size", "body_bytes_sent", "resp_body_size", "body_bytes", "resp_body_bytes",
    "DownstreamContentSize", "bytes_sent", "sent_bytes", "httpRequest.responseSize",
    "response_size", "sc-bytes", "response_bytes", "response_length", "res.contentLength",
    "res.headers.content-length", "response.headers.content-length", "response.body.size",
    "response.size", "response.bytes", "http.response.bytes", "http.response.body.size",
    "bytes", "bytes_written", "bytes_out", "resp_bytes", "content_length", "object_size",
    "obj_size", "bytes_read", "bytes.read", "length", "http.response.written",
  ]

  private static func headers(_ name: String) -> [String] {
    [
      "resp_headers.\(name)", "response_headers.\(name)", "response.headers.\(name)",
      "res.headers.\(name)", "resp.headers.\(name)", "http.response.headers.\(name)",
      "sent_http_\(name)", "upstream_http_\(name)", "downstream_\(name)", "origin_\(name)",
      "sc(\(name))", "resp_http_\(name)", "response_\(name)", "resp_\(name)",
    ] + (name == "expires" ? [] : [name])
  }
}

/// Keys of durations, with the unit if the name determines it.
struct JSONCost: Sendable {
  let name: String
  /// True for the origin's response time, false for the total time.
  let isOrigin: Bool
  /// The unit; nil if it is inferred from the values.
  let unit: TimeUnit?

  static let endings: [(text: String, unit: TimeUnit)] = [
    ("milliseconds", .milliseconds), ("microseconds", .microseconds), ("nanoseconds", .nanoseconds),
    ("seconds", .seconds), ("millis", .milliseconds), ("micros", .microseconds),
    ("nanos", .nanoseconds), ("msec", .milliseconds), ("usec", .microseconds),
    ("nsec", .nanoseconds), ("secs", .seconds), ("sec", .seconds), ("ms", .milliseconds),
    ("us", .microseconds), ("ns", .nanoseconds), ("s", .seconds),
  ]

  /// Surest first; times of the origin before total times.
  static let all: [JSONCost] =
    origins.map { JSONCost(name: $0.0, isOrigin: true, unit: $0.1) }
    + totals.map { JSONCost(name: $0.0, isOrigin: false, unit: $0.1) }

  private static let origins: [(String, TimeUnit?)] = [
    ("upstream_service_time", .milliseconds), ("OriginResponseDurationMs", .milliseconds),
    ("OriginResponseTime", .nanoseconds), ("OriginDuration", .nanoseconds),
    ("upstream_response_time", .seconds), ("target_processing_time", .seconds),
    ("backend_processing_time", .seconds), ("upstream_header_time", .seconds),
    ("integrationLatency", .milliseconds), ("serverResponseLatency", .seconds),
    ("time-to-first-byte", .seconds), ("origin-lbl", .seconds), ("origin-fbl", .seconds),
    ("time_backend_response", .milliseconds), ("timers.server_response_time", .milliseconds),
    ("Tr", .milliseconds), ("upstream_time", nil), ("upstream_duration", nil),
    ("upstream_latency", nil), ("backend_response_time", nil), ("backend_time", nil),
    ("backend_duration", nil), ("origin_time", nil), ("origin_duration", nil),
    ("origin_latency", nil),
  ]

  private static let totals: [(String, TimeUnit?)] = [
    ("request_time", .seconds), ("event.duration", .nanoseconds), ("duration", nil),
    ("time-taken", nil), ("httpRequest.latency", .seconds), ("responseLatency", .milliseconds),
    ("responseTime", nil), ("time_elapsed", .microseconds), ("elapsed_time", nil),
    ("elapsed", nil), ("latency", nil), ("took", .milliseconds), ("request_duration", nil),
    ("response_duration", nil), ("request_latency", nil), ("total_time", nil),
    ("processing_time", nil), ("process_time", nil), ("http.duration", nil), ("time", nil),
    ("runtime", nil), ("session_duration", .milliseconds), ("Ta", .milliseconds),
    ("Tt", .milliseconds),
  ]

  static func role(isOrigin: Bool, _ unit: TimeUnit) -> WebRole {
    switch unit {
    case .seconds: isOrigin ? .originSeconds : .totalSeconds
    case .milliseconds: isOrigin ? .originMilliseconds : .totalMilliseconds
    case .microseconds: isOrigin ? .originMicroseconds : .totalMicroseconds
    case .nanoseconds: isOrigin ? .originNanoseconds : .totalNanoseconds
    }
  }

  static func known(_ folded: String) -> (rank: Int, cost: JSONCost, unit: TimeUnit?)? {
    if let rank = byName[folded], folded != "time" {
      return (rank, all[rank], all[rank].unit)
    }
    for ending in endings where folded.hasSuffix(ending.text) {
      let base = String(folded.dropLast(ending.text.count))
      // Those are points in time.
      if base == "time", ending.text == "s" { continue }
      if let rank = byName[base] {
        return (rank, all[rank], ending.unit)
      }
    }
    return nil
  }

  private static let byName: [String: Int] = {
    let names = all.enumerated().map { (JSONNameTree.folded($1.name), $0) }
    return Dictionary(names) { first, _ in first }
  }()
}

extension TextField {
  /// First byte; nil if empty.
  fileprivate var takenFirst: UInt8? { isEmpty ? nil : next.pointee }

  /// True for `.0`, `.00` and so on.
  var isZeroFraction: Bool {
    count > 1 && next.pointee == 0x2E && (1..<count).allSatisfy { next[$0] == 0x30 }
  }

  fileprivate func allBytes(_ test: (UInt8) -> Bool) -> Bool {
    (0..<count).allSatisfy { test(next[$0]) }
  }

  fileprivate func countOf(_ byte: UInt8) -> Int { (0..<count).count { next[$0] == byte } }
}
