/// Role of a key of a log in JSON lines or logfmt; the raw value is the option that names the key.
enum JSONRole: String, CaseIterable, Sendable {
  case time, id, request, method
  case host = "hostname"
  case query = "query-key"
  case status, size
  case cacheControl = "cache-control"
  case expires, ttl, cost
  case cacheStatus = "cache-status"
  case operation = "op"

  struct Row: Sendable {
    /// Role in a web log; that of times and costs depends on their unit.
    let web: WebRole
    let meaning: String
    /// Consequence of a missing key; nil if requests keep their meaning.
    var absence: String?
    /// Usual names, surest first, as `JSONNameTree.folded` compares them.
    let names: [String]
  }

  private static let table: [JSONRole: Row] = [
    .time: Row(
      web: .timestamp, meaning: "key of the time: a number since 1970 or a date",
      absence: "no time found: requests have no times", names: times),
    .id: Row(web: .target, meaning: "key of the path, URL or id", names: urls + paths + ids),
    .request: Row(web: .request, meaning: "key of a whole request line", names: requestLines),
    .method: Row(
      web: .method, meaning: "key of the method",
      absence: "no method found: every request counts as a GET", names: methods),
    .host: Row(
      web: .host, meaning: "key of the host",
      absence: "no host found: equal paths of several hosts are one object", names: hosts),
    .query: Row(
      web: .query, meaning: "key of the query string, for paths without one",
      absence: "no query found", names: queries),
    .status: Row(
      web: .status, meaning: "key of the status",
      absence: "no status found: every response counts as 200", names: statuses),
    .size: Row(
      web: .bytes, meaning: "key of the bytes of the body",
      absence: "no size found: objects have no sizes", names: sizes),
    .cacheControl: Row(
      web: .cacheControl, meaning: "key of the response's Cache-Control header",
      names: headers("cache_control") + ["cache_control"]),
    .expires: Row(
      web: .expires, meaning: "key of the response's Expires header",
      names: headers("expires") + ["expires"]),
    .ttl: Row(web: .ttl, meaning: "key of the TTL in seconds", names: ["ttl", "cache_ttl"]),
    .cost: Row(
      web: .originMilliseconds,
      meaning: "key of the origin's response time, in milliseconds or in cost-unit",
      names: JSONCost.all.map(\.name)),
    .cacheStatus: Row(
      web: .cacheStatus,
      meaning: "key of the outcome in the cache that wrote the log, such as HIT",
      names: cacheStatuses),
    .operation: Row(
      web: .operation, meaning: "key of the operation in a cache's own log: get, set, delete",
      names: CsvRole.operation.usualNames),
  ]

  var row: Row { Self.table[self] ?? Row(web: .target, meaning: "", names: []) }

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
    case .cacheStatus:
      return value.count >= 3 ? rest.takeInteger() == nil : ["0", "1"].contains(value.text)
    case .operation: return CsvOperations.words.meaning(of: value.text) != nil
    }
  }

  /// False for addresses and lists, which belong to clients.
  private static func isHost(_ value: TextField) -> Bool {
    if value.find(0x2C) != nil || value.find(0x20) != nil { return false }
    if value.isServerAddress { return true }
    if value.takenFirst == UInt8(ascii: "[") { return false }
    if (0..<value.count).count(where: { value.next[$0] == 0x3A }) > 1 { return false }
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

  private static let words = CsvName.words

  private static let verbs = Set(
    words(
      """
      GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE PURGE BAN PROPFIND PROPPATCH REPORT
      SEARCH MKCOL COPY MOVE LOCK UNLOCK
      """))

  // Names of nginx, ingress-nginx, Caddy, Traefik, Envoy, HAProxy, Apache, Fastly, Cloudflare,
  // CloudFront, CDN77, load balancers, gateways and stores of AWS, Google and Azure, MinIO, ECS,
  // OpenTelemetry, and loggers of Node.

  private static let times = words(
    """
    StartUTC ts time timestamp start_time EdgeStartTimestamp datetime time_iso8601 time_local msec
    timestamp(ms) time_start requestTimeEpoch request_time date event.start StartLocal time_ms ts_ms
    timestamp_us timestamp_ns epoch unixtime datestamp EdgeEndTimestamp receiveTimestamp
    request_date haproxy_dateTime time_end eventTime log_time created_at request.start_gmt
    datetime_gmt t started_at reqTimeSec start_date time_micros event_timestamp EventTimestampMs
    startTimeMs dt timeMillis common_properties.start_time instant.epochSecond startedDateTime
    requestdatetime TimeGenerated TimeGeneratedUTC timestampUTC datetimeUTC timeUnixNano prefix
    """)

  static let urls = words(
    """
    request.uri ClientRequestURI request_uri RequestPath httpRequest.requestUrl url.original
    url.full originalRequestUriWithArgs req.originalUrl req.url request.url http.request.uri
    http.url http.target originalUrl request_url cs-uri http_url http_uri full_url full_uri url
    req_url req_uri proxy.path httpRequest_requestUrl x-envoy-origin-path x-envoy-original-path
    original_path
    """)

  static let requestLines = words(
    """
    RequestLine request_line request http_request req http.request.line requested_url uri
    request_uri
    """)

  static let paths = words(
    """
    uri path url.path ClientRequestPath request.path request_path req.path cs-uri-stem http_path
    http.path document_uri pathname urlpath resourcePath request.hp http.route reqPath requested_uri
    uri_path uri_stem http.url_details.path request
    """)

  static let ids = words(
    """
    id key object object_id obj_id cache_key obj obj_key object_key item item_id item_key content_id
    asset_id key_id key_hash hashed_key
    """)

  static let methods = words(
    """
    request.method ClientRequestMethod request_method http.request.method httpRequest.requestMethod
    method http_method req.method cs-method verb request_verb http_verb http.method request.verb
    reqMethod proxy.method httpRequest_requestMethod request.request_method request
    """)

  private static let hosts = words(
    """
    request.host ClientRequestHost RequestHost url.domain host http_host vhost virtual_host
    x-host-header cs(Host) authority :authority domain domain_name server_name req.headers.host
    request.headers.host headers.host request.header.host http.request.headers.host http.host
    host_header req.host req.hostname original_host properties.hostName reqHost proxy.host
    request.authority uri_host http.url_details.host server.address site
    """)

  private static let queries = words(
    """
    request_query args query query_string url.query cs-uri-query request.query request_args
    request_param http_query urlquery uri_query req.query raw_query request.query_string
    http.request.query request.hq query_params queryStr uri_param http.url_details.queryString
    """)

  private static let cacheStatuses = words(
    """
    upstream_cache_status CacheCacheStatus cache_status x-edge-result-type fastly_info.state
    cache_result x_cache cache_state response_state proxy.vercelCache hit_info x_cache_status
    cf_cache_status proxy_cache_status
    """)

  private static let statuses = words(
    """
    status EdgeResponseStatus DownstreamStatus response_status response_code status_code
    httpRequest.status http.response.status_code res.statusCode res.status response.status
    response.status_code resp.status sc-status http_status_code http_status elb_status_code response
    http.status_code http.status resp_status http_code code result_code OriginStatus reply_status
    proxy.statusCode api.statusCode httpRequest_status http.response.status response.response_code
    return_code
    """)

  private static let sizes = words(
    """
    size EdgeResponseBodyBytes EdgeResponseBytes http.response.body.bytes response_body_size
    body_bytes_sent resp_body_size body_bytes resp_body_bytes DownstreamContentSize bytes_sent
    sent_bytes httpRequest.responseSize response_size sc-bytes response_bytes response_length
    res.contentLength res.headers.content-length response.headers.content-length response.body.size
    response.size response.bytes http.response.bytes http.response.body.size bytes bytes_written
    bytes_out resp_bytes content_length object_size obj_size bytes_read bytes.read length
    http.response.written http.response_content_length response_content_length
    proxy.responseByteSize properties.responseBodySize api.tx httpRequest_responseSize
    network.bytes_written response.response_body_bytes response.content.size
    """)

  private static func headers(_ name: String) -> [String] {
    words(
      """
      resp_headers.# response_headers.# response.headers.# res.headers.# resp.headers.#
      http.response.headers.# sent_http_# upstream_http_# downstream_# origin_# sc(#) resp_http_#
      response_# resp_#
      """
    ).map { $0.replacing("#", with: name) }
  }
}

struct JSONCost: Sendable {
  let name: String
  let isOrigin: Bool
  let unit: TimeUnit?

  /// Surest first; times of the origin before total times.
  static let all =
    units(
      """
      upstream_service_time=ms OriginResponseDurationMs=ms OriginResponseTime=ns OriginDuration=ns
      upstream_response_time=s target_processing_time=s backend_processing_time=s
      upstream_header_time=s integrationLatency=ms serverResponseLatency=s time-to-first-byte=s
      origin-lbl=s origin-fbl=s time_backend_response=ms timers.server_response_time=ms Tr=ms
      service=ms upstream_time upstream_duration upstream_latency backend_response_time backend_time
      backend_duration origin_time origin_duration origin_latency
      """
    ).map { JSONCost(name: $0, isOrigin: true, unit: $1) }
    + units(
      """
      request_time event.duration=ns duration time-taken httpRequest.latency=s responseLatency=ms
      responseTime time_elapsed=us elapsed_time elapsed latency took=ms request_duration
      response_duration request_latency total_time processing_time process_time http.duration time
      runtime session_duration=ms Ta=ms Tt=ms
      """
    ).map { JSONCost(name: $0, isOrigin: false, unit: $1) }

  private static let endings = units(
    """
    milliseconds=ms microseconds=us nanoseconds=ns seconds=s millis=ms micros=us nanos=ns msec=ms
    usec=us nsec=ns secs=s sec=s ms=ms us=us ns=ns s=s
    """)

  private static func units(_ text: String) -> [(String, TimeUnit?)] {
    text.split(whereSeparator: \.isWhitespace).map { word in
      let parts = word.split(separator: "=")
      return (String(parts[0]), parts.count > 1 ? TimeUnit(rawValue: String(parts[1])) : nil)
    }
  }

  static func role(isOrigin: Bool, _ unit: TimeUnit) -> WebRole {
    .role(isOrigin ? .originSeconds : .totalSeconds, in: unit)
  }

  static func known(_ folded: String) -> (rank: Int, cost: JSONCost, unit: TimeUnit?)? {
    if let rank = byName[folded], folded != "time" { return (rank, all[rank], all[rank].unit) }
    for (ending, unit) in endings where folded.hasSuffix(ending) {
      let base = String(folded.dropLast(ending.count))
      // Those are points in time.
      if base == "time", ending == "s" { continue }
      if let rank = byName[base] { return (rank, all[rank], unit) }
    }
    return nil
  }

  private static let byName: [String: Int] = {
    let names = all.enumerated().map { (JSONNameTree.folded($1.name), $0) }
    return Dictionary(names) { first, _ in first }
  }()
}

extension TextField {
  fileprivate var takenFirst: UInt8? { isEmpty ? nil : next.pointee }

  var isZeroFraction: Bool {
    count > 1 && next.pointee == 0x2E && (1..<count).allSatisfy { next[$0] == 0x30 }
  }

  func allBytes(_ test: (UInt8) -> Bool) -> Bool { (0..<count).allSatisfy { test(next[$0]) } }
}
