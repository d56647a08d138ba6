import LarderEngine

@testable import LarderTraces

/// Samples of server logs: full and partial responses, responses from the client's cache, errors
/// and writes, as the programs write them.
extension SampleTrace {
  static let logs = [
    combined, squid, w3c, haproxy, s3, alb, jsonLines, webTable, hashIDs, redisMonitor,
    memcachedWatch,
  ]

  private static let noon: UInt64 = 1_772_359_200_000_000

  private static func web(
    _ target: String, _ seconds: Double, _ size: UInt32, _ operation: Operation = .get,
    isKnown: Bool = true, ttl: UInt32 = 0, cost: Float = 1
  ) -> TraceRecord {
    TraceRecord(
      key: KeyHash.hash(target), time: noon + UInt64(seconds * 1e6), size: size, ttl: ttl,
      cost: cost, operation: operation, isSizeKnown: isKnown)
  }

  static let combined: SampleTrace = {
    let agent = #""https://example.org/" "Mozilla/5.0 (X11; Linux x86_64)""#
    func line(_ clock: String, _ request: String, _ answer: String) -> String {
      #"192.0.2.7 - - [01/Mar/2026:\#(clock) +0100] "\#(request)" \#(answer) \#(agent)"#
    }
    return SampleTrace(
      format: "combined", file: "sample.combined.log",
      bytes: lines([
        line("11:00:00", "GET /news/7 HTTP/1.1", "200 4096"),
        line("11:00:00", "GET /news/7 HTTP/1.1", "304 0"),
        line("11:00:01", "HEAD /news/9?page=2 HTTP/1.1", "200 0"),
        line("11:00:02", "GET /film.mp4 HTTP/1.1", "206 65536"),
        line("11:00:02", "POST /comments HTTP/1.1", "201 17"),
        line("11:00:03", "GET /missing HTTP/1.1", "404 153"),
        line("11:00:04", "GET /news/7 HTTP/1.1", "500 188"),
        line("11:00:05", #"GET /a\"b c HTTP/1.0"#, "200 -"),
        line("11:00:06", "GET /news/9?page=2 HTTP/2.0", "200 512"),
      ]),
      records: [
        web("/news/7", 0, 4096), web("/news/7", 0, 0, isKnown: false),
        web("/news/9?page=2", 1, 0, isKnown: false),
        web("/film.mp4", 2, 65_536, isKnown: false), web("/comments", 2, 17, .bypass),
        web("/missing", 3, 153, isKnown: false), web("/news/7", 4, 188, .bypass),
        web(#"/a\"b c"#, 5, 0, isKnown: false), web("/news/9?page=2", 6, 512),
      ])
  }()

  static let webTable = SampleTrace(
    format: "web-table", file: "sample.web-table.csv",
    bytes: lines([
      "ClientRequestHost,ClientRequestMethod,ClientRequestURI,EdgeResponseBytes,"
        + "EdgeResponseStatus,EdgeStartTimestamp,RayID",
      #"example.org,GET,"/a?x=1,2",4096,200,2026-03-01T10:00:00Z,7a"#,
      "example.org,GET,/a,180,503,2026-03-01T10:00:01Z,7b",
      #"example.org,HEAD,"/say ""hi""",0,200,2026-03-01T10:00:02Z,7c"#,
      "example.org,POST,/a,12,201,2026-03-01T10:00:03Z,7d",
    ]),
    records: [
      web("example.org/a?x=1,2", 0, 4096), web("example.org/a", 1, 180, .bypass),
      web(#"example.org/say "hi""#, 2, 0, isKnown: false), web("example.org/a", 3, 12, .bypass),
    ])

  static let squid = SampleTrace(
    format: "squid", file: "sample.squid.log",
    bytes: lines([
      "1772359200.250     95 192.0.2.7 TCP_MISS/200 4321 GET http://example.org/a - "
        + "HIER_DIRECT/203.0.113.9 text/html",
      "1772359201.500      0 192.0.2.8 TCP_MEM_HIT/200 4329 GET http://example.org/a - "
        + "HIER_NONE/- text/html",
      "1772359202.000    120 192.0.2.8 TCP_TUNNEL/200 9000 CONNECT example.org:443 - "
        + "HIER_DIRECT/203.0.113.9 -",
      "1772359203.000   5001 192.0.2.8 NONE/000 0 GET http://example.org/slow - HIER_NONE/- -",
    ]),
    records: [
      web("http://example.org/a", 0.25, 4321, cost: 95),
      web("http://example.org/a", 1.5, 4329, cost: TraceRecord.unknownCost),
      web("example.org:443", 2, 9000, .bypass, cost: 120),
      web("http://example.org/slow", 3, 0, .bypass, cost: 5001),
    ])

  static let w3c = SampleTrace(
    format: "w3c", file: "sample.w3c.log",
    bytes: lines([
      "#Software: Microsoft Internet Information Services 10.0", "#Version: 1.0",
      "#Date: 2026-03-01 10:00:00",
      "#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip sc-status sc-bytes time-taken",
      "2026-03-01 10:00:00 GET /a.css - 192.0.2.7 200 800 31",
      "2026-03-01 10:00:01 GET /find q=cache&page=2 192.0.2.7 200 5000 240",
      "#Fields: date time cs-method cs-uri-stem cs-uri-query sc-status sc-bytes time-taken",
      "2026-03-01 10:00:02 DELETE /a.css - 403 90 3",
    ]),
    records: [
      web("/a.css", 0, 800, cost: 31), web("/find?q=cache&page=2", 1, 5000, cost: 240),
      web("/a.css", 2, 90, .bypass, cost: 3),
    ])

  /// With syslog's prefix; the third response was cut off.
  static let haproxy: SampleTrace = {
    func line(_ clock: String, _ answer: String, _ state: String, _ request: String) -> String {
      "Mar  1 10:00:01 lb1 haproxy[2123]: 192.0.2.7:50718 [01/Mar/2026:\(clock)] www~ app/app1 "
        + "\(answer) - - \(state) 3/3/1/1/0 0/0 {www.example.org|curl} \"\(request)\""
    }
    return SampleTrace(
      format: "haproxy", file: "sample.haproxy.log",
      bytes: lines([
        line("10:00:00.123", "0/0/1/12/13 200 4321", "----", "GET /a?b=1 HTTP/1.1"),
        line("10:00:00.500", "0/0/-1/-1/5 503 212", "SC--", "GET /a?b=1 HTTP/1.1"),
        line("10:00:01.000", "0/0/1/9/80 200 +100", "CD--", "GET /film HTTP/2.0"),
        line("10:00:01.000", "0/0/1/3/4 201 20", "----", "POST /a HTTP/1.1"),
      ]),
      records: [
        web("www.example.org/a?b=1", 0.123, 4321, cost: 12),
        web("www.example.org/a?b=1", 0.5, 212, .bypass, cost: TraceRecord.unknownCost),
        web("www.example.org/film", 1, 100, isKnown: false, cost: 9),
        web("www.example.org/a", 1, 20, .bypass, isKnown: true, cost: 3),
      ])
  }()

  static let s3: SampleTrace = {
    let client = "192.0.2.7 arn:aws:iam::123456789012:user/ann 3E57427F3EXAMPLE"
    let rest = #""-" "S3Console/0.4" - s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuN= SigV4 - AuthHeader - - -"#
    func line(_ clock: String, _ middle: String) -> String {
      "79a59df900b949e55d96a1e698fbaced photos [01/Mar/2026:\(clock) +0000] "
        + "\(client) \(middle) \(rest)"
    }
    return SampleTrace(
      format: "s3", file: "sample.s3.log",
      bytes: lines([
        line(
          "10:00:00",
          #"REST.GET.OBJECT img/7.png "GET /photos/img/7.png HTTP/1.1" 200 - 4321 4321 70 10"#),
        line(
          "10:00:01",
          #"REST.GET.OBJECT img/7.png "GET /img/7.png HTTP/1.1" 206 - 100 4321 70 8"#),
        line(
          "10:00:02",
          #"REST.HEAD.OBJECT img/7.png "HEAD /img/7.png HTTP/1.1" 200 - - 4321 9 9"#),
        line(
          "10:00:03",
          #"REST.PUT.OBJECT a%2Bb "PUT /a%2Bb HTTP/1.1" 200 - - 77 30 12"#),
        line("10:00:04", #"REST.GET.BUCKET - "GET /?list-type=2 HTTP/1.1" 200 - 990 - 9 9"#),
        line(
          "10:00:05",
          #"REST.GET.OBJECT a%2Bb "GET /a%2Bb?versionId=v1&x=2 HTTP/1.1" 200 - 70 70 9 9"#),
        line("10:00:06", "S3.EXPIRE.OBJECT a%2Bb - - - - 77 - -"),
      ]),
      records: [
        web("photos img/7.png", 0, 4321, cost: 10), web("photos img/7.png", 1, 4321, cost: 8),
        web("photos img/7.png", 2, 4321, cost: 9), web("photos a%2Bb", 3, 0, .bypass, cost: 12),
        web("photos a%2Bb?versionId=v1", 5, 70, cost: 9),
        web("photos a%2Bb", 6, 0, .bypass, cost: TraceRecord.unknownCost),
      ])
  }()

  /// HTTP/2, a target that did not respond, a malformed request, and a classic balancer.
  static let alb: SampleTrace = {
    let end = #""curl/8" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2"#
    func line(_ start: String, _ target: String, _ answer: String, _ request: String) -> String {
      "\(start) app/lb/0123456789abcdef 2001:db8::7:50718 \(target) \(answer) "
        + "\"\(request)\" \(end) arn:aws:x \"Root=1-0\" \"-\" \"-\" 0"
    }
    return SampleTrace(
      format: "alb", file: "sample.alb.log",
      bytes: lines([
        line(
          "h2 2026-03-01T10:00:00.250000Z", "10.0.0.1:80", "0.000 0.012 0.000 200 200 29 1002",
          "GET https://example.org:443/a?q=1 HTTP/2.0"),
        line(
          "http 2026-03-01T10:00:01.000000Z", "-", "-1 -1 -1 503 - 29 300",
          "GET http://example.org:80/a HTTP/1.1"),
        line(
          "https 2026-03-01T10:00:02.000000Z", "-", "-1 -1 -1 400 - 0 272", "- http://lb:80- -"),
        line(
          "2026-03-01T10:00:03.000000Z", "10.0.0.1:80", "0.000086 0.001 0.00004 200 200 0 57",
          "GET http://example.org:80/b HTTP/1.1"),
      ]),
      records: [
        web("https://example.org:443/a?q=1", 0.25, 1002, cost: 12),
        web("http://example.org:80/a", 1, 300, .bypass, cost: TraceRecord.unknownCost),
        web("http://example.org:80/b", 3, 57, cost: 1),
      ])
  }()

  static let jsonLines = SampleTrace(
    format: "json-lines", file: "sample.jsonl",
    bytes: lines([
      #"{"level":"info","ts":1772359200.5,"request":{"method":"GET","host":"Example.org","#
        + #""uri":"/a?x=1\u0026y=2","headers":{"Accept":["*/*"]}},"duration":0.004,"size":900,"#
        + #""status":200,"resp_headers":{"Cache-Control":["public, max-age=60"]}}"#,
      #"{"level":"info","ts":1772359201.25,"request":{"method":"GET","host":"example.org","#
        + #""uri":"/b"},"duration":0.25,"size":0,"status":304,"resp_headers":{}}"#,
      #"{"level":"info","ts":1772359202,"request":{"method":"GET","host":"example.org","#
        + #""uri":"/me"},"duration":0.5,"size":44,"status":200,"#
        + #""resp_headers":{"Cache-Control":["private"]}}"#,
    ]),
    records: [
      web("example.org/a?x=1&y=2", 0.5, 900, ttl: 60, cost: 4),
      web("example.org/b", 1.25, 0, isKnown: false, cost: 250),
      web("example.org/me", 2, 44, .bypass, cost: 500),
    ])

  /// Two turns of a conversation, with another between them; keys in another order, and a prompt
  /// without a whole block.
  static let hashIDs = SampleTrace(
    format: "hash-ids", file: "sample.hash-ids.jsonl",
    bytes: lines([
      #"{"timestamp": 0, "input_length": 1100, "output_length": 40, "hash_ids": [0, 1, 2]}"#,
      #"{"timestamp": 27, "input_length": 600, "output_length": 3, "hash_ids": [7, 8]}"#,
      #"{"hash_ids":[],"timestamp":30,"input_length":12}"#,
      #"{"timestamp": 90, "input_length": 1700, "output_length": 9, "hash_ids": [0, 1, 3, 4]}"#,
    ]),
    records: [
      (0, 0, 1101), (1, 0, 0), (2, 0, 0), (7, 27, 601), (8, 27, 0), (0, 90, 1701), (1, 90, 0),
      (3, 90, 0), (4, 90, 0),
    ].map { (id: UInt64, milliseconds: UInt64, prompt: UInt32) in
      TraceRecord(key: id, time: milliseconds * 1000, prompt: prompt)
    })

  static let redisMonitor: SampleTrace = {
    func key(_ text: String) -> UInt64 { KeyHash.hash(text) }
    let time = { (micros: UInt64) in noon + micros }
    return SampleTrace(
      format: "redis-monitor", file: "sample.redis-monitor.log",
      bytes: lines([
        "OK", #"1772359200.000100 [0 127.0.0.1:40112] "GET" "user:7""#,
        #"1772359200.000200 [0 127.0.0.1:40112] "SET" "user:7" "a\x00\"bc" "EX" "60""#,
        #"1772359200.000300 [0 127.0.0.1:40112] "PING""#,
        #"1772359200.000400 [0 127.0.0.1:40113] "MGET" "user:7" "17""#,
        #"1772359200.000500 [2 127.0.0.1:40113] "DEL" "user:7""#,
        #"1772359200.000600 [0 lua] "INCR" "17""#,
      ]),
      records: [
        TraceRecord(key: key("user:7"), time: time(100), size: 5, ttl: 60),
        TraceRecord(key: key("user:7"), time: time(400), size: 0, ttl: 60, isSizeKnown: false),
        TraceRecord(key: 17, time: time(400), size: 0, isSizeKnown: false),
        TraceRecord(
          key: key(#"2"user:7"#), time: time(500), size: 0, operation: .delete, isSizeKnown: false),
        TraceRecord(
          key: 17, time: time(600), size: 0, operation: .set, isSizeKnown: false),
      ])
  }()

  /// The get right before a store is the server's own.
  static let memcachedWatch: SampleTrace = {
    let key = KeyHash.hash("user")
    return SampleTrace(
      format: "memcached-watch", file: "sample.memcached-watch.log",
      bytes: lines([
        "OK",
        "ts=1772359200.100 gid=1 type=item_get key=user status=not_found clsid=0 cfd=25 size=0",
        "ts=1772359200.300 gid=2 type=item_get key=user status=not_found clsid=0 cfd=25 size=0",
        "ts=1772359200.301 gid=3 type=item_store key=user status=stored cmd=set ttl=60 clsid=1 "
          + "cfd=25 size=96",
        "ts=1772359200.900 gid=4 type=item_get key=user status=found clsid=1 cfd=26 size=96",
        "ts=1772359200.950 gid=5 type=item_store key=no status=not_stored cmd=add ttl=0 clsid=1 "
          + "cfd=27 size=9",
        "ts=1772359201.5 gid=6 type=eviction key=user fetch=yes ttl=55 la=0 clsid=1 size=96",
      ]),
      records: [
        TraceRecord(key: key, time: noon + 100, size: 96, ttl: 60),
        TraceRecord(key: key, time: noon + 900, size: 96, ttl: 60),
      ])
  }()

  private static func lines(_ lines: [String]) -> [UInt8] {
    lines.flatMap { Array("\($0)\n".utf8) }
  }
}
