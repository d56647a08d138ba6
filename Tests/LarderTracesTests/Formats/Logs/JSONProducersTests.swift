import LarderEngine
import Testing

@testable import LarderTraces

/// JSON lines of servers and log shippers: one request from each. Those with an example in
/// docs/logs.md are in `DocumentedLinesTests`.
@Suite
struct JSONProducersTests {
  private func source(_ lines: [String], _ spec: String? = nil) throws -> [TraceRecord] {
    try readRecords(lines.map { $0 + "\n" }.joined().utf8, "access.log", spec)
  }

  private static let noon: UInt64 = 1_772_359_200_000_000

  private static func record(
    _ key: String, size: UInt32 = 900, cost: Float = 1, ttl: UInt32 = 0,
    at fraction: UInt64 = 0, _ operation: Operation = .get
  ) -> TraceRecord {
    TraceRecord(
      key: KeyHash.hash(key), time: noon + fraction, size: size, ttl: ttl, cost: cost,
      operation: operation)
  }

  private static let clock = #""2026-03-01T10:00:00+00:00""#

  static let producers: [(name: String, line: String, record: TraceRecord)] = [
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
      "HAProxy, nested",
      #"""
      {"datetime_gmt":"2026-03-01T10:00:00Z","bytes_read":900,"client":{"ip":"192.0.2.1"},\#
      "timers":{"server_response_time":5,"tcp_session_duration":9},"status_code":200,\#
      "request":{"method":"GET","uri":"/a?x=1","version":"HTTP/1.1"}}
      """#,
      record("/a?x=1", cost: 5)
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
      "CloudFront, milliseconds",
      #"""
      {"timestamp(ms)":"1772359200000","sc-bytes":"900","cs-method":"GET","cs-uri-stem":"/a",\#
      "sc-status":"200","cs-uri-query":"-","cs(Host)":"h"}
      """#,
      record("h/a")
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
    if other != producer.line { #expect(try source([other]) == [expected], "\(producer.name)") }
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
