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

  typealias Producer = (name: String, line: String, record: TraceRecord)

  private static func row(_ name: String, _ record: TraceRecord, _ line: String) -> Producer {
    (name, line, record)
  }

  static let producers = [
    row(
      "nginx, whole URI", record("h/a?x=1", cost: 30),
      #"""
      {"time_iso8601":\#(clock),"request_method":"GET","http_host":"h","request_uri":"/a?x=1",\#
      "uri":"/a","args":"x=1","status":"200","body_bytes_sent":"900",\#
      "request_time":"0.031","upstream_response_time":"0.025, 0.005"}
      """#),
    row(
      "Akamai DataStream", record("h/a?x=1"),
      #"""
      {"reqTimeSec":"1772359200.000","reqHost":"h","reqMethod":"GET","reqPath":"/a",\#
      "queryStr":"x=1","statusCode":"200","bytes":"900","rspContentLen":"900"}
      """#),
    row(
      "Tomcat's encoder for Logstash", record("/a?x=1"),
      #"""
      {"@timestamp":\#(clock),"requested_url":"GET /a?x=1 HTTP/1.1","method":"GET",\#
      "protocol":"HTTP/1.1","status_code":200,"requested_uri":"/a","content_length":900}
      """#),
    row(
      "varnishncsa, fields named after VCL", record("h/a?x=1"),
      #"""
      {"time":\#(clock),"req_host":"h","req_url":"/a?x=1","req_method":"GET",\#
      "resp_status":200,"resp_bytes":900}
      """#),
    row(
      "Kong", record("h/a?x=1"),
      #"""
      {"request":{"uri":"/a?x=1","method":"GET","headers":{"host":"h"}},"response":\#
      {"status":200,"size":"900"},"client_ip":"192.0.2.1","started_at":1772359200000}
      """#),
    row(
      "nginx, $uri and $args", record("h/a?x=1"),
      #"""
      {"args":"?x=1","uri":"/a","host":"h","status":200,"bytes":900,"time_local":"01/Mar/2026:\#
      10:00:00 +0000","method":"GET"}
      """#),
    row(
      "nginx, $uri and $request", record("h/a?x=1"),
      #"""
      {"uri":"/a","request":"GET /a?x=1 HTTP/1.1","host":"h","status":200,"bytes":900,\#
      "msec":1772359200.000}
      """#),
    row(
      "nginx, client as host", record("/a?x=1", cost: 20),
      #"""
      {"time":\#(clock),"host":"192.0.2.7","method":"GET","uri":"/a?x=1","status":"200",\#
      "body_bytes":"900","request_time":"0.020","response_time":"0.012"}
      """#),
    row(
      "nginx_json_logs", record("/a?x=1"),
      #"""
      {"time":"01/Mar/2026:10:00:00 +0000","remote_ip":"192.0.2.1","remote_user":"-",\#
      "request":"GET /a?x=1 HTTP/1.1","response":200,"bytes":900,"referrer":"-","agent":"a"}
      """#),
    row(
      "HAProxy, nested", record("/a?x=1", cost: 5),
      #"""
      {"datetime_gmt":"2026-03-01T10:00:00Z","bytes_read":900,"client":{"ip":"192.0.2.1"},\#
      "timers":{"server_response_time":5,"tcp_session_duration":9},"status_code":200,\#
      "request":{"method":"GET","uri":"/a?x=1","version":"HTTP/1.1"}}
      """#),
    row(
      "ECS, flat", record("h/a?x=1", cost: 5),
      #"""
      {"@timestamp":"2026-03-01T10:00:00.000Z","host.name":"web1","event.duration":5000000,\#
      "http.request.method":"GET","http.response.status_code":200,\#
      "http.response.body.bytes":900,"url.path":"/a","url.query":"x=1","url.domain":"h"}
      """#),
    row(
      "CloudFront, milliseconds", record("h/a"),
      #"""
      {"timestamp(ms)":"1772359200000","sc-bytes":"900","cs-method":"GET","cs-uri-stem":"/a",\#
      "sc-status":"200","cs-uri-query":"-","cs(Host)":"h"}
      """#),
    row(
      "winston", record("h/a?x=1", cost: 5),
      #"""
      {"timestamp":"2026-03-01 10:00:00,000","level":"info","message":"HTTP GET /a","meta":\#
      {"req":{"url":"/a?x=1","method":"GET","headers":{"host":"h"}},"res":\#
      {"statusCode":200,"contentLength":900},"responseTime":5}}
      """#),
    row(
      "Express", record("/a?x=1", cost: 5),
      #"""
      {"timestamp":"2026-03-01T10:00:00.000Z","method":"GET","url":"/a?x=1","statusCode":200,\#
      "contentLength":"900","responseTime":"5.000"}
      """#),
    row(
      "Amazon's load balancer", record("https://h:443/a?x=1", cost: 5),
      #"""
      {"type":"https","time":"2026-03-01T10:00:00.000000Z","elb":"app/x",\#
      "request_processing_time":0.0,"target_processing_time":0.005,\#
      "response_processing_time":0.0,"elb_status_code":200,"target_status_code":"200",\#
      "sent_bytes":900,"request_verb":"GET","request_url":"https://h:443/a?x=1"}
      """#),
    row(
      "numbers with fractions", record("/a?x=1", cost: 5),
      #"""
      {"ts":1.7723592e9,"url":"/a?x=1","method":"GET","status":200.0,"size":900.00,\#
      "latency_ms":5.0}
      """#),
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
