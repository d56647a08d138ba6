import LarderEngine
import Testing

@testable import LarderTraces

/// JSON lines of servers, load balancers and log shippers: one request from each.
@Suite
struct JSONProducersTests {
  private func source(_ lines: [String], _ spec: String? = nil) throws -> [TraceRecord] {
    let folder = try TestFolder()
    let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "access.log")
    let source = try FileSource(path: path, format: spec.map { try ComponentSpec(parsing: $0) })
    return try allRecords(source)
  }

  private static let noon: UInt64 = 1_772_359_200_000_000

  private static func record(
    _ key: String, size: UInt32 = 900, cost: Float = TraceRecord.unknownCost, ttl: UInt32 = 0,
    at fraction: UInt64 = 0, _ operation: Operation = .get
  ) -> TraceRecord {
    TraceRecord(
      key: KeyHash.hash(key), time: noon + fraction, size: size, ttl: ttl, cost: cost,
      operation: operation)
  }

  private static let clock = #""2026-03-01T10:00:00+00:00""#

  static let producers: [(name: String, line: String, record: TraceRecord)] = [
    (
      "ingress-nginx",
      #"""
      {"time": \#(clock), "remote_addr": "192.0.2.1", "request_id": "17", "bytes_sent": 900, \#
      "request_time": 0.01, "status": 200, "vhost": "h", "request_proto": "HTTP/1.1", \#
      "path": "/a", "request_query": "x=1", "request_length": 100, "duration": 0.01, \#
      "method": "GET", "http_referrer": "", "http_user_agent": "ua"}
      """#,
      record("h/a?x=1", cost: 10)
    ),
    (
      "nginx, whole URI",
      #"""
      {"time_iso8601":\#(clock),"request_method":"GET","http_host":"h","request_uri":"/a?x=1",\#
      "uri":"/a","args":"x=1","status":"200","body_bytes_sent":"900",\#
      "request_time":"0.031","upstream_response_time":"0.025, 0.005"}
      """#,
      record("h/a?x=1", cost: 30)
    ),
    (
      "Akamai DataStream",
      #"""
      {"reqTimeSec":"1772359200.000","reqHost":"h","reqMethod":"GET","reqPath":"/a",\#
      "queryStr":"x=1","statusCode":"200","bytes":"900","rspContentLen":"900"}
      """#,
      record("h/a?x=1")
    ),
    (
      "Tomcat's encoder for Logstash",
      #"""
      {"@timestamp":\#(clock),"requested_url":"GET /a?x=1 HTTP/1.1","method":"GET",\#
      "protocol":"HTTP/1.1","status_code":200,"requested_uri":"/a","content_length":900}
      """#,
      record("/a?x=1")
    ),
    (
      "varnishncsa, fields named after VCL",
      #"""
      {"time":\#(clock),"req_host":"h","req_url":"/a?x=1","req_method":"GET",\#
      "resp_status":200,"resp_bytes":900}
      """#,
      record("h/a?x=1")
    ),
    (
      "Kong",
      #"""
      {"request":{"uri":"/a?x=1","method":"GET","headers":{"host":"h"}},"response":\#
      {"status":200,"size":"900"},"client_ip":"192.0.2.1","started_at":1772359200000}
      """#,
      record("h/a?x=1")
    ),
    (
      "nginx, $uri and $args",
      #"""
      {"args":"?x=1","uri":"/a","host":"h","status":200,"bytes":900,"time_local":"01/Mar/2026:\#
      10:00:00 +0000","method":"GET"}
      """#,
      record("h/a?x=1")
    ),
    (
      "nginx, $uri and $request",
      #"""
      {"uri":"/a","request":"GET /a?x=1 HTTP/1.1","host":"h","status":200,"bytes":900,\#
      "msec":1772359200.000}
      """#,
      record("h/a?x=1")
    ),
    (
      "nginx, client as host",
      #"""
      {"time":\#(clock),"host":"192.0.2.7","method":"GET","uri":"/a?x=1","status":"200",\#
      "body_bytes":"900","request_time":"0.020","response_time":"0.012"}
      """#,
      record("/a?x=1", cost: 20)
    ),
    (
      "nginx_json_logs",
      #"""
      {"time":"01/Mar/2026:10:00:00 +0000","remote_ip":"192.0.2.1","remote_user":"-",\#
      "request":"GET /a?x=1 HTTP/1.1","response":200,"bytes":900,"referrer":"-","agent":"a"}
      """#,
      record("/a?x=1")
    ),
    (
      "Caddy",
      #"""
      {"level":"info","ts":"2026/03/01 10:00:00.000","logger":"http.log.access.log0",\#
      "msg":"handled request","request":{"remote_ip":"192.0.2.1","proto":"HTTP/2.0",\#
      "method":"GET","host":"h","uri":"/a?x=1","headers":{"User-Agent":["x"]}},\#
      "bytes_read":0,"user_id":"","duration":0.002,"size":900,"status":200,"resp_headers":\#
      {"Server":["Caddy"],"Cache-Control":["public, max-age=60"]}}
      """#,
      record("h/a?x=1", cost: 2, ttl: 60)
    ),
    (
      "Traefik",
      #"""
      {"ClientAddr":"192.0.2.1:63251","DownstreamContentSize":900,"DownstreamStatus":200,\#
      "Duration":8764859,"OriginContentSize":900,"OriginDuration":8000000,"OriginStatus":200,\#
      "RequestHost":"h","RequestMethod":"GET","RequestPath":"/a?x=1","RequestProtocol":\#
      "HTTP/1.1","StartUTC":"2026-03-01T10:00:00.000000Z","entryPointName":"https",\#
      "level":"info","msg":"","time":"2026-03-01T11:00:00+01:00"}
      """#,
      record("h/a?x=1", cost: 8)
    ),
    (
      "Envoy",
      #"""
      {"start_time":"2026-03-01T10:00:00.000Z","method":"GET","path":"/a?x=1",\#
      "protocol":"HTTP/1.1","authority":"h","response_code":200,"response_flags":"-",\#
      "bytes_received":0,"bytes_sent":900,"duration":7,"upstream_service_time":"5",\#
      "x_forwarded_for":null,"upstream_host":"192.0.2.9:80"}
      """#,
      record("h/a?x=1", cost: 5)
    ),
    (
      "HAProxy",
      #"""
      {"type":"http","timestamp":1772359200,"http_status":200,"http_request":"GET /a?x=1 \#
      HTTP/1.1","frontend_name":"web","bytes_read":900,"bytes_uploaded":80,\#
      "time_backend_response":5,"session_duration":9,"termination_state":"----"}
      """#,
      record("/a?x=1", cost: 5)
    ),
    (
      "HAProxy, nested",
      #"""
      {"datetime_gmt":"2026-03-01T10:00:00Z","bytes_read":900,"client":{"ip":"192.0.2.1"},\#
      "timers":{"server_response_time":5,"tcp_session_duration":9},"status_code":200,\#
      "request":{"method":"GET","uri":"/a?x=1","version":"HTTP/1.1"}}
      """#,
      record("/a?x=1", cost: 5)
    ),
    (
      "ECS, nested",
      #"""
      {"@timestamp":"2026-03-01T10:00:00.000Z","ecs":{"version":"8.0"},"host":{"name":"web1"},\#
      "event":{"duration":5000000},"http":{"request":{"method":"get"},"response":\#
      {"status_code":200,"body":{"bytes":900}}},"url":{"path":"/a","query":"x=1",\#
      "domain":"h"},"log":{"file":{"path":"/var/log/x"}},"message":"GET /a"}
      """#,
      record("h/a?x=1", cost: 5)
    ),
    (
      "ECS, flat",
      #"""
      {"@timestamp":"2026-03-01T10:00:00.000Z","host.name":"web1","event.duration":5000000,\#
      "http.request.method":"GET","http.response.status_code":200,\#
      "http.response.body.bytes":900,"url.path":"/a","url.query":"x=1","url.domain":"h"}
      """#,
      record("h/a?x=1", cost: 5)
    ),
    (
      "CloudFront",
      #"""
      {"date":"2026-03-01","time":"10:00:00","x-edge-location":"FRA56","sc-bytes":"900",\#
      "c-ip":"192.0.2.1","cs-method":"GET","cs(Host)":"d1.cloudfront.net","cs-uri-stem":"/a",\#
      "sc-status":"200","cs(Referer)":"-","cs-uri-query":"x=1","x-host-header":"h",\#
      "cs-bytes":"23","time-taken":"0.005"}
      """#,
      record("h/a?x=1", cost: 5)
    ),
    (
      "CloudFront, milliseconds",
      #"""
      {"timestamp(ms)":"1772359200000","sc-bytes":"900","cs-method":"GET","cs-uri-stem":"/a",\#
      "sc-status":"200","cs-uri-query":"-","cs(Host)":"h"}
      """#,
      record("h/a")
    ),
    (
      "Cloudflare",
      #"""
      {"ClientRequestHost":"h","ClientRequestMethod":"GET","ClientRequestPath":"/a",\#
      "ClientRequestURI":"/a?x=1","EdgeResponseBodyBytes":900,"EdgeResponseBytes":1200,\#
      "EdgeResponseStatus":200,"EdgeStartTimestamp":1772359200000000000,\#
      "OriginResponseTime":5000000}
      """#,
      record("h/a?x=1", cost: 5)
    ),
    (
      "Fastly",
      #"""
      {"service_id":"s","time_start":"2026-03-01T10:00:00+0000","time_elapsed":5000,\#
      "client_ip":"192.0.2.1","request":"GET","protocol":"HTTP/2","host":"h",\#
      "origin_host":"o","url":"/a?x=1","status":"200","resp_body_size":"900"}
      """#,
      record("h/a?x=1", cost: 5)
    ),
    (
      "Apache",
      #"""
      {"time":"[01/Mar/2026:10:00:00 +0000]","remoteIP":"192.0.2.1","host":"h","request":"/a",\#
      "query":"?x=1","method":"GET","status":"200","bytes":"900","userAgent":"a",\#
      "referer":"-","duration_us":"5000"}
      """#,
      record("h/a?x=1", cost: 5)
    ),
    (
      "pino",
      #"""
      {"level":30,"time":1772359200000,"pid":7,"hostname":"web1","req":{"id":1,"method":"GET",\#
      "url":"/a?x=1","query":{"x":"1"},"headers":{"host":"h"}},"res":{"statusCode":200,\#
      "headers":{"content-length":"900"}},"responseTime":5,"msg":"request completed"}
      """#,
      record("h/a?x=1", cost: 5)
    ),
    (
      "winston",
      #"""
      {"timestamp":"2026-03-01 10:00:00,000","level":"info","message":"HTTP GET /a","meta":\#
      {"req":{"url":"/a?x=1","method":"GET","headers":{"host":"h"}},"res":\#
      {"statusCode":200,"contentLength":900},"responseTime":5}}
      """#,
      record("h/a?x=1", cost: 5)
    ),
    (
      "Express",
      #"""
      {"timestamp":"2026-03-01T10:00:00.000Z","method":"GET","url":"/a?x=1","statusCode":200,\#
      "contentLength":"900","responseTime":"5.000"}
      """#,
      record("/a?x=1", cost: 5)
    ),
    (
      "Google's load balancer",
      #"""
      {"httpRequest":{"requestMethod":"GET","requestUrl":"https://h/a?x=1","requestSize":"40",\#
      "status":200,"responseSize":"900","latency":"0.005s","cacheLookup":true},\#
      "insertId":"1","logName":"projects/p","timestamp":"2026-03-01T10:00:00Z"}
      """#,
      record("https://h/a?x=1", cost: 5)
    ),
    (
      "Amazon's API Gateway",
      #"""
      {"requestId":"r","ip":"192.0.2.1","requestTime":"01/Mar/2026:10:00:00 +0000",\#
      "httpMethod":"GET","resourcePath":"/{id}","path":"/a","status":"200",\#
      "protocol":"HTTP/1.1","responseLength":"900","responseLatency":"5","domainName":"h"}
      """#,
      record("h/a", cost: 5)
    ),
    (
      "Amazon's load balancer",
      #"""
      {"type":"https","time":"2026-03-01T10:00:00.000000Z","elb":"app/x",\#
      "request_processing_time":0.0,"target_processing_time":0.005,\#
      "response_processing_time":0.0,"elb_status_code":200,"target_status_code":"200",\#
      "sent_bytes":900,"request_verb":"GET","request_url":"https://h:443/a?x=1"}
      """#,
      record("https://h:443/a?x=1", cost: 5)
    ),
    (
      "Azure Front Door",
      #"""
      {"time":"2026-03-01T10:00:00.0000000Z","category":"FrontDoorAccessLog","operationName":\#
      "Microsoft.Cdn/Profiles/AccessLog/Write","properties":{"httpMethod":"GET",\#
      "requestUri":"https://h:443/a?x=1","httpStatusCode":"200","responseBytes":"900",\#
      "timeTaken":"0.005","hostName":"h"}}
      """#,
      record("hhttps://h:443/a?x=1", cost: 5)
    ),
    (
      "numbers with fractions",
      #"""
      {"ts":1.7723592e9,"url":"/a?x=1","method":"GET","status":200.0,"size":900.00,\#
      "latency_ms":5.0}
      """#,
      record("/a?x=1", cost: 5)
    ),
  ]

  @Test(arguments: producers.indices)
  func requestIsReadFromEachProducer(_ index: Int) throws {
    let producer = Self.producers[index]
    var expected = producer.record
    #expect(try source([producer.line]) == [expected], "\(producer.name)")
    let other = producer.line.replacing("GET", with: "POST").replacing(#""get""#, with: #""post""#)
    expected.operation = Operation.bypass.rawValue
    expected.ttl = 0
    if other != producer.line {
      #expect(try source([other]) == [expected], "\(producer.name)")
    }
  }

  @Test(arguments: producers.indices)
  func failedRequestIsNotStored(_ index: Int) throws {
    let producer = Self.producers[index]
    let failed = ["200.0", #""200""#, "200"].reduce(producer.line) { line, status in
      line.replacing(":\(status)", with: ":502").replacing(": \(status)", with: ": 502")
    }
    #expect(
      try source([failed]).map(\.operation) == [Operation.bypass.rawValue], "\(producer.name)")
  }
}
