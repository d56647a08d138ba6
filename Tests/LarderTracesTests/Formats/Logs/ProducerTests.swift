import LarderEngine
import Testing

@testable import LarderTraces

/// Logs of producers as their documentation shows them: recognised alone, with their fields.
@Suite
struct ProducerTests {
  struct Producer: Sendable, CustomTestStringConvertible {
    let name: String
    let format: String
    let lines: [String]
    /// Seconds after noon, key and size of the last request.
    let expected: (Double, String, UInt32)
    var testDescription: String { name }

    init(
      _ name: String, _ format: String, _ expected: (Double, String, UInt32), _ lines: String...
    ) {
      (self.name, self.format, self.lines, self.expected) = (name, format, lines, expected)
    }
  }

  private static let noon = 1_772_359_200.0
  private static let combined =
    #"192.0.2.1 - - [01/Mar/2026:10:00:01 +0000] "GET /a HTTP/1.1" 200 900 "-" "curl/8""#
  private static let object =
    #"{"method":"GET","path":"/a","status":200,"bytes":900,"time":"2026-03-01T10:00:01Z"}"#
  private static let inside = #"{"method":"GET","path":"/a","status":200,"bytes":900}"#
  private static let goKit = "ts=2026-03-01T10:00:01Z \(lograge)"
  private static let graylog = #"{"host":"w","short_message":"# + quoted(combined) + "}"
  private static let lograge = "method=GET path=/a format=html status=200 bytes=900 duration=5.8"

  static let producers = [
    // istio.io/latest/docs/tasks/observability/logs/access-log
    Producer(
      "Istio", "combined", (1, "h/a", 900),
      #"[2026-03-01T10:00:01.000Z] "GET /a HTTP/1.1" 200 - via_upstream - "-" 5 900 3 1 "-" "#
        + #""curl/8" "84961386-6d84-929d-98bd-c5aee93b5c88" "h" "10.44.1.27:80" "#
        + "outbound|8000||h 10.44.1.23:37652 10.0.45.184:8000 10.44.1.23:46520 - default"),
    Producer(
      "Envoy with details", "combined", (1, "h/a", 900),
      #"[2026-03-01T10:00:01.000Z] "GET /a HTTP/1.1" 200 - via_upstream 5 900 3 1 "-" "curl/8" "#
        + #""8" "h" "10.0.0.7:80""#),
    Producer(
      "Envoy in a table", "web-table", (1, "h/a", 900), "@timestamp,@message",
      csv(
        #"[2026-03-01T10:00:01.000Z] "GET /a HTTP/1.1" 200 - 5 900 3 1 "-" "a, b" "8" "h" "u""#)),
    Producer("logfmt in a table", "web-table", (1, "/a", 900), "x,@message", csv(goKit)),
    Producer("Go kit's logfmt", "json-lines", (1, "/a", 900), goKit),
    Producer(
      "a table of pages", "web-table", (1, "/a", 900), "time,page,status,bytes",
      "1772359201,/a,200,900"),
    Producer(
      "Envoy's JSON", "json-lines", (1, "h/a", 900),
      #"{"start_time":"2026-03-01T10:00:01.000Z","method":"GET","path":"/a","authority":"h","#
        + #""bytes_received":5,"bytes_sent":900,"duration":3,"response_code":200}"#),
    // gateway.envoyproxy.io/docs/tasks/observability/proxy-accesslog
    Producer(
      "Envoy Gateway", "json-lines", (1, "h/a", 900),
      #"{"start_time":"2026-03-01T10:00:01.000Z","method":"GET","x-envoy-origin-path":"/a","#
        + #"":authority":"h","bytes_received":0,"bytes_sent":900,"response_code":200}"#),
    Producer(
      "Envoy's access log service", "json-lines", (1, "h/a", 900),
      #"{"common_properties":{"start_time":"2026-03-01T10:00:01Z"},"request":{"request_method":"#
        + #""GET","authority":"h","path":"/a"},"response":{"response_code":200,"#
        + #""response_body_bytes":900}}"#),
    // Request line and dates as S3's logs have them in Athena
    Producer(
      "S3 in Athena", "web-table", (1, "/b/a", 900),
      "bucket_name,requestdatetime,key,request_uri,httpstatus,bytessent",
      "b,01/Mar/2026:10:00:01 +0000,a,GET /b/a HTTP/1.1,200,900"),
    Producer(
      "titles", "web-table", (1, "/a", 900),
      "Date/Time [UTC],HTTP Method,URL Path,HTTP Status,Response Size (bytes)",
      "2026-03-01T10:00:01Z,GET,/a,200,900"),
    Producer(
      "HAR", "json-lines", (1, "https://h/a", 900),
      #"{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-03-01T10:00:01Z","time":12.1,"#
        + #""request":{"method":"GET","url":"https://h/a"},"response":{"status":200,"#
        + #""content":{"size":900}}}]}}"#),
    // docs.bunny.net/cdn/logging
    Producer(
      "Bunny", "combined", (1, "https://example.b-cdn.net/a", 900),
      "HIT|200|1772359201000|900|390|163.172.53.229|-|https://example.b-cdn.net/a|WA|Mozilla/5.0 "
        + "(X11)|322b688bd63fb63f2babe9de30a5d262|DE"),
    // alibabacloud.com/help/en/cdn/user-guide/download-logs: days of one digit
    Producer(
      "Alibaba Cloud CDN", "combined", (1, "http://h.com/a", 900),
      #"[1/Mar/2026:18:00:01 +0800] 192.0.2.1 - 15 "-" "GET http://h.com/a" 200 191 900 HIT "x" "#
        + #""text/html""#),
    Producer(
      "CloudFront without #Fields", "combined", (1, "h.com/a?b=1", 900),
      "2026-03-01\t10:00:01\tFRA56-P1\t900\t192.0.2.1\tGET\td1.cloudfront.net\t/a\t200\t-\tx\tb=1\t"
        + "-\tHit\tid==\th.com\thttps\t23\t0.012\t-"),
    // nginxproxymanager.com: the formats proxy and standard
    Producer(
      "Nginx Proxy Manager", "combined", (1, "h.com/a", 900),
      #"[01/Mar/2026:10:00:01 +0000] - 200 200 - GET https h.com "/a" [Client 192.0.2.1] "#
        + #"[Length 900] [Gzip -] [Sent-to 10.0.0.1] "curl/8" "-""#),
    Producer(
      "Nginx Proxy Manager's own", "combined", (1, "h.com/a", 900),
      #"[01/Mar/2026:10:00:01 +0000] 200 - GET https h.com "/a" [Client 192.0.2.1] "#
        + #"[Length 900] [Gzip -] "curl/8" "-""#),
    Producer(
      "Gin", "combined", (1, "/a", 0),
      #"[GIN] 2026/03/01 - 10:00:01 | 200 |   12.345µs |    192.0.2.1 | GET      "/a""#),
    // wikibench.eu
    Producer(
      "WikiBench", "combined", (1, "en.wikipedia.org/a", 0),
      "929840891 1772359201.000 http://en.wikipedia.org/a -"),
    Producer(
      "Kibana's table", "web-table", (1, "/a", 900),
      #""@timestamp","url.original","http.response.status_code","http.response.body.bytes""#,
      #""Mar 1, 2026 @ 10:00:01.000","/a",200,900"#),
    Producer("one column", "web-table", (1, "/a", 900), "x", String(csv(combined).dropFirst(24))),
    Producer("a table in JSON", "web-table", (1, "/a", 900), "dt,raw", csv(graylog)),
    Producer("Graylog", "json-lines", (1, "/a", 900), graylog),
    Producer("Datadog's table", "web-table", (1, "/a", 900), "Date,Content", csv(combined)),
    Producer(
      "Datadog's columns", "web-table", (1, "/a", 900),
      "Date,@http.method,@http.url_details.path,@http.status_code,@network.bytes_written",
      "2026-03-01T10:00:01Z,GET,/a,200,900"),
    Producer(
      "Wikimedia's columns", "web-table", (1, "h/a?b", 900),
      "dt,cache_status,http_status,response_size,http_method,uri_host,uri_path,uri_query",
      "2026-03-01T10:00:01Z,hit-front,200,900,GET,h,/a,?b"),
    Producer(
      "RFC 5424 with a BOM", "json-lines", (1, "/a", 900),
      "<190>1 2026-03-01T10:00:01Z web1 app 1 - - \u{FEFF}\(object)"),
    Producer(
      "syslog over TCP", "combined", (1, "/a", 900),
      "130 <190>1 2026-03-01T10:00:01Z web1 nginx 1 - - \(combined)"),
    Producer("objects in one line", "json-lines", (1, "/a", 900), object + object),
    Producer(
      "elasticdump", "json-lines", (1, "/a", 900),
      #"{"_index":"f","_id":"1","_source":{"message":"# + quoted(combined) + "}}"),
    Producer(
      "OVH", "combined", (1, "www.example.com/a", 900),
      #"192.0.2.1 www.example.com - [01/Mar/2026:10:00:01 +0000] "GET /a HTTP/1.1" 200 900 "-" "x""#
    ),
    Producer(
      "Tencent Cloud CDN", "combined", (1, "h.com/a", 900),
      #"20260301100001 192.0.2.1 h.com /a 900 1 2 200 - 3 "curl" "(null)" GET HTTP/1.1 hit 5000"#),
    Producer(
      "Splunk's JSON", "json-lines", (1, "/a", 900),
      #"{"preview":false,"result":{"_raw":"# + quoted(combined) + #","host":"h"}}"#),
    Producer(
      "Huawei Cloud CDN", "combined", (1, "www.example.com/a", 900),
      #"[01/Mar/2026:18:00:01 +0800] 192.0.2.1 1 "-" "HTTP/1.1" "GET" "www.example.com" "/a" "#
        + #"200 900 HIT "curl/8" "-" 192.0.2.9"#),
    // gcore.com/docs/cdn/logs/raw-logs-overview: every field in quotes
    Producer(
      "G-Core", "combined", (1, "/a", 900),
      #""192.0.2.1" "-" "-" "[01/Mar/2026:10:00:01 +0000]" "GET /a HTTP/1.1" "200" "900" "-" "#
        + #""curl/8" "900" "1129" "https" "cdn.example.com" "0.001" "-" "HIT""#),
    // learn.microsoft.com/rest/api/storageservices/storage-analytics-log-format
    Producer(
      "Azure's blobs", "combined", (1, "https://a.blob.core.windows.net/c/a", 900),
      "1.0;2026-03-01T10:00:01.0000000Z;GetBlob;Success;200;12;10;authenticated;a;a;blob;"
        + #""https://a.blob.core.windows.net/c/a";"/a/c/a";fba4-0;0;192.0.2.1:4362;2020-04-08;"#
        + #"300;0;250;900;0;;;"0x8D";Sunday, 01-Mar-26 09:00:00 GMT;;"Mozilla; x";;"c1""#),
    // learn.microsoft.com/azure/storage/blobs/monitor-blob-storage-reference
    Producer(
      "Azure's blobs in JSON", "json-lines", (1, "https://a.blob.core.windows.net:443/c/a", 900),
      #"{"time":"2026-03-01T10:00:01.0000000Z","operationName":"GetBlob","statusCode":200,"#
        + #""durationMs":12,"uri":"https://a.blob.core.windows.net:443/c/a","#
        + #""properties":{"responseHeaderSize":300,"responseBodySize":900}}"#),
    // client.cdn77.com: real-time logs
    Producer(
      "CDN77", "json-lines", (1, "h.com/a", 900),
      #"{"startTimeMs":1772359201000,"requestTimeMs":12,"timeToFirstByteMs":3,"cacheAge":5,"#
        + #""cacheStatus":"HIT","clientRequestBytes":80,"clientRequestHost":"h.com","#
        + #""clientRequestMethod":"GET","clientRequestPath":"/a","responseStatus":200,"#
        + #""responseBytes":900}"#),
    // min.io/docs: audit logs
    Producer(
      "MinIO", "json-lines", (1, "minio:9000/c/a", 900),
      #"{"time":"2026-03-01T10:00:01.000000000Z","api":{"name":"GetObject","bucket":"c","#
        + #""object":"a","statusCode":200,"rx":0,"tx":900,"timeToResponse":"12345678ns"},"#
        + #""requestPath":"/c/a","requestHost":"minio:9000"}"#),
    // lancache/monolithic: cachelog-json
    Producer(
      "LanCache's JSON", "json-lines", (1, "c.example.org/a", 900),
      #"{"timestamp":"1772359201.000","cache_identifier":"steam","status":"200","bytes_sent":900,"#
        + #""upstream_cache_status":"HIT","host":"c.example.org","method":"GET","path":"/a"}"#),
    // cloud.google.com/storage/docs/access-logs
    Producer(
      "GCS", "web-table", (1, "storage.googleapis.com/b/a", 900),
      #""time_micros","c_ip","cs_method","cs_uri","sc_status","cs_bytes","sc_bytes","cs_host""#,
      #""1772359201000000","192.0.2.1","GET","/b/a","200","0","900","storage.googleapis.com""#),
    Producer("CloudWatch", "web-table", (1, "/a", 900), "@timestamp,@message", csv(combined)),
    Producer(
      "Splunk", "web-table", (1, "/a", 900), #""_time","_raw","host""#, csv(combined) + ",h"),
    Producer("Splunk's JSON inside", "web-table", (1, "/a", 900), "_time,_raw", csv(object)),
    Producer("compose", "json-lines", (1, "/a", 900), "web-1  | \(object)"),
    Producer(
      "log4j", "json-lines", (1, "/a", 900), "2026-03-01 10:00:01,000 [http-1] INFO a.B - \(inside)"
    ),
    Producer("Python", "json-lines", (1, "/a", 900), "INFO:access:\(object)"),
    Producer(
      "zap", "json-lines", (1, "/a", 900),
      "2026-03-01T10:00:01.000Z INFO a/b.go:10 served \(inside)"),
    Producer(
      "Rails", "json-lines", (1, "/a", 900),
      "I, [2026-03-01T10:00:01.000000 #7]  INFO -- : \(lograge)"),
    // devcenter.heroku.com/articles/http-routing
    Producer(
      "Heroku", "json-lines", (1, "h.herokuapp.com/a", 900),
      "2026-03-01T10:00:01.000000+00:00 heroku[router]: at=info method=GET path=\"/a\" "
        + "host=h.herokuapp.com request_id=8 fwd=\"192.0.2.1\" dyno=web.1 connect=1ms service=18ms "
        + "status=200 bytes=900"),
    // uwsgi-docs.readthedocs.io/en/latest/LogFormat.html: the default
    Producer(
      "uWSGI", "combined", (1, "/a", 900),
      "[pid: 17|app: 0|req: 1/1] 192.0.2.1 () {40 vars in 600 bytes} [Sun Mar  1 10:00:01 2026] "
        + "GET /a => generated 900 bytes in 12 msecs (HTTP/1.1 200) 3 headers in 120 bytes (1 "
        + "switches on core 0)"),
    // expressjs/morgan: tiny
    Producer("morgan", "combined", (-noon, "/a", 900), "GET /a 200 900 - 3.123 ms"),
    Producer(
      "OpenLiteSpeed", "combined", (1, "/a", 900),
      #""192.0.2.1 - - [01/Mar/2026:10:00:01 +0000] "GET /a HTTP/1.1" 200 900""#),
    // vercel.com/docs/drains/reference/logs: path is that of the function
    Producer(
      "Vercel", "json-lines", (1, "h.com/a?b=1", 900),
      #"{"id":"1","source":"lambda","host":"h.com","path":"/[a]","timestamp":1772359201000,"#
        + #""statusCode":200,"proxy":{"timestamp":1772359201000,"method":"GET","host":"h.com","#
        + #""path":"/a?b=1","statusCode":200,"responseByteSize":900,"vercelCache":"HIT"}}"#),
    // docs.edgio: raw logs of Edgecast, Azure CDN from Verizon
    Producer(
      "Edgecast", "w3c", (1, "http://h.com/a", 900),
      "#Fields: timestamp time-taken c-ip filesize s-ip s-port sc-status sc-bytes cs-method "
        + "cs-uri-stem - rs-duration rs-bytes c-referrer c-user-agent customer-id",
      #"1772359201 1 192.0.2.1 500 192.0.2.2 80 TCP_HIT/200 900 GET http://h.com/a - 0 400 "-" "#
        + #""Moz (X; b)" 1234"#),
    // docs.ceph.com/en/latest/radosgw/config-ref: ops log; the method is in the key uri
    Producer(
      "Ceph", "json-lines", (1, "/b/a", 900),
      #"{"bucket":"b","time":"2026-03-01T10:00:01.000000Z","operation":"get_obj","#
        + #""uri":"GET /b/a HTTP/1.1","http_status":"200","bytes_sent":900,"object_size":900}"#),
    // docs.aws.amazon.com/waf/latest/developerguide/logging-fields.html: no status
    Producer(
      "AWS WAF", "json-lines", (1, "/a?q=1", 0),
      #"{"timestamp":1772359201000,"action":"ALLOW","httpRequest":{"clientIp":"192.0.2.1","#
        + #""uri":"/a","args":"q=1","httpVersion":"HTTP/1.1","httpMethod":"GET"}}"#),
    // developers.cloudflare.com/logs: Workers trace events
    Producer(
      "Cloudflare's Workers", "json-lines", (1, "https://h.com/a", 0),
      #"{"Event":{"Request":{"URL":"https://h.com/a","Method":"GET"},"Response":{"Status":200}},"#
        + #""EventTimestampMs":1772359201000,"Outcome":"ok"}"#),
    // Logs of Google's load balancers, flattened in BigQuery
    Producer(
      "BigQuery", "web-table", (1, "https://h.com/a", 900),
      "timestamp,httpRequest_requestMethod,httpRequest_requestUrl,httpRequest_status,"
        + "httpRequest_responseSize",
      "2026-03-01 10:00:01.000000 UTC,GET,https://h.com/a,200,900"),
    // docs.python.org: http.server; Werkzeug (Flask) writes the same
    Producer(
      "http.server", "combined", (1, "/a", 900),
      #"127.0.0.1 - - [01/Mar/2026 10:00:01] "GET /a HTTP/1.1" 200 900"#),
    Producer(
      "Django", "combined", (1, "/a", 900),
      #"[01/Mar/2026 10:00:01] "GET /a HTTP/1.1" 200 900"#),
    Producer(
      "Uvicorn", "combined", (-noon, "/a", 0),
      #"INFO:     127.0.0.1:50000 - "GET /a HTTP/1.1" 200 OK"#),
    Producer(
      "units in names", "csv", (1, "/p/a", 900),
      "Request Time (UTC),Cache-Key,Object Size [bytes],User Agent",
      "2026-03-01 10:00:01,/p/a,900,x", "2026-03-01 10:00:01,/p/a,900,y"),
    Producer("an array", "json-lines", (1, "/a", 900), "[", "\(object),", object, "]"),
    Producer(
      "CloudWatch's events", "json-lines", (1, "/a", 900),
      #"{"nextToken":"x [","events":[{"timestamp":1,"message":"# + quoted(object) + "},",
      #" {"timestamp":2,"message":"# + quoted(object) + #"}], "searchedLogStreams": []}"#),
    Producer(
      "Azure's records", "json-lines", (1, "/a", 900), #"{"records":["# + "\(object),\(object)]}"),
    Producer(
      "Elasticsearch", "json-lines", (1, "/a", 900),
      #"{"took":5,"hits":{"total":1,"hits":[{"_id":"1","_source":"# + object + "}]}}"),
  ]

  private static func csv(_ line: String) -> String {
    "2026-03-01 10:00:01.000,\"\(line.replacing("\"", with: "\"\""))\""
  }

  private static func quoted(_ line: String) -> String {
    "\"\(line.replacing("\"", with: "\\\""))\""
  }

  @Test(arguments: producers)
  func producerIsRecognisedAndItsFieldsAreRead(_ producer: Producer) throws {
    let text = producer.lines.map { $0 + "\n" }.joined()
    let (source, records) = try readSource(text.utf8, "access.log")
    #expect(source.format.name == producer.format)
    let last = try #require(records.last)
    let (seconds, key, size) = producer.expected
    #expect(last.time == UInt64((Self.noon + seconds) * 1e6))
    #expect(last.key == KeyHash.hash(key) && last.size == size)
    #expect(last.operation == Operation.get.rawValue)
  }

  @Test func onlyOneEventOfARequestIsRead() throws {
    let text = "8,0 0 1 0.1 7 D R 8 + 8 [a]\n8,0 0 2 0.2 0 C R 8 + 8 [0]\n"
    let (source, records) = try readSource(text.utf8, "a.txt")
    #expect(source.format.name == "blkparse" && records.map(\.time) == [100_000])
    #expect(source.reading.remarks.contains("Requests are read at their event D."))
    #expect(source.reading.skipped == ["they are other events of the same requests": 1])
  }

  /// A status of 503 under any name bypasses the cache.
  @Test(arguments: [
    // alibabacloud.com/help/en/cdn: real-time logs
    #"{"unixtime":"1772359201","domain":"h","uri":"/a","return_code":"503","hit_info":"MISS"}"#,
    "time=2026-03-01T10:00:01Z http.request.uri=/a http.response.status=503",
    "_time,method,uri_path,uri_query,status,bytes\n2026-03-01T10:00:01.000+0000,GET,/a,,503,9",
  ])
  func statusIsFound(_ text: String) throws {
    let records = try readRecords((text + "\n").utf8, "a")
    #expect(records.map(\.operation) == [Operation.bypass.rawValue])
  }

  /// The registry of Docker logs a request when it is authorized, and when it is done.
  @Test func requestsAreReadAtTheirEnd() throws {
    let start = "time=2026-03-01T10:00:01Z msg=authorized http.request.uri=/a"
    let text = "\(start)\n\(start) http.response.status=200 http.response.written=900\n"
    let (source, records) = try readSource(text.utf8, "a.log")
    #expect(records.map(\.size) == [900] && source.reading.skipped.values.reduce(0, +) == 1)
  }

  @Test(arguments: [
    (#""latency":12000000,"latency_human":"12ms""#, Float(12)), (#""request_time":"54""#, 54),
    (#""request_time":"0.054""#, 54), (#""controller":"x","duration":5.5"#, 5.5),
  ])
  func unitOfCostIsThatOfTheProducer(_ cost: String, _ milliseconds: Float) throws {
    #expect(try readRecords("{\"uri\":\"/a\",\(cost)}\n".utf8, "a").map(\.cost) == [milliseconds])
  }

  /// An array in one line that is longer than what formats are recognised by.
  @Test(arguments: [object, #"{"@message":"# + quoted(combined) + "}"])
  func arrayInOneLineIsRead(_ object: String) throws {
    for count in [2, 2000] {
      let text = "[\(Array(repeating: object, count: count).joined(separator: ", "))]"
      let (source, records) = try readSource(text.utf8, "a.json")
      #expect(source.format.name == "json-lines" && records.count == count)
    }
  }

  @Test func textBeforeBiosnoopsHeaderIsSkipped() throws {
    let text =
      "Tracing block device I/O. Hit Ctrl-C to end.\nTIME(s)  COMM  PID  DISK  T SECTOR  BYTES\n"
      + "0.5  a b  7  sda  R 8  4096\nDetaching...\n"
    let (source, records) = try readSource(text.utf8, "a.txt")
    #expect(source.format.name == "biosnoop" && records.map(\.size) == [4096])
  }

  @Test(arguments: ["a.txt", "a.log", "a"])
  func tableIsRecognisedByItsContent(_ name: String) throws {
    for text in ["time,key,size\n1,\"a,b\",7\n2,c,8\n", "time|key|size\n1|a,b|7\n2|c|8\n"] {
      let (source, records) = try readSource(text.utf8, name)
      #expect(source.format.name == "csv" && records.map(\.size) == [7, 8])
      #expect(records.map(\.key) == [KeyHash.hash("a,b"), KeyHash.hash("c")])
    }
  }

  @Test func sectorsUnderTencentsHeaderAreSectors() throws {
    let text = "Timestamp,Offset,Size,IOType,VolumeID\n1772359201,8,8,0,7\n1772359202,8,8,1,7\n"
    let (source, records) = try readSource(text.utf8, "cbs.csv")
    #expect(source.format.name == "tencent-block" && records.map(\.size) == [4096, 4096])
  }

  @Test func guessedColumnsAreNamed() throws {
    let notes = { try readTrace("1 2 3\n2 2 3\n".utf8, $0).notes }
    #expect(try notes("a.txt") == ["The columns are read as time, id and size in bytes."])
    #expect(try notes("a.tr") == [])
  }

  @Test func headerOfMSRCambridgeIsSkipped() throws {
    let text =
      "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n"
      + "128166372003061629,hm,1,Read,0,512,4\n128166372013061629,hm,1,Read,512,512,4\n"
    let (source, records) = try readSource(text.utf8, "hm_1.csv")
    #expect(source.format.name == "msr-cambridge" && records.count == 2)
    #expect(records[1].time - records[0].time == 1_000_000)
  }

  /// techdocs.akamai.com/datastream2: cacheStatus is 0 or 1.
  @Test func akamaisCacheStatusIsRead() throws {
    let lines = ["1", "0", "1", "1"].map { status in
      #"{"reqTimeSec":"1772359201.5","bytes":"900","statusCode":"200","reqHost":"h.com","#
        + #""reqMethod":"GET","reqPath":"/a","queryStr":"-","cacheStatus":"\#(status)"}"# + "\n"
    }
    let notes = try readTrace(lines.joined().utf8, "a.log").notes
    #expect(notes.contains { $0.hasSuffix(" a hit ratio of 75.0 %: 3 of 4 gets.") }, "\(notes)")
  }

  /// github.com/google-research-datasets/thesios: a part of a file is an object.
  @Test func partsOfFilesAreObjects() throws {
    let rows = [(0, "READ"), (4096, "READ"), (0, "READ"), (0, "WRITE")].map { offset, operation in
      "f,\(offset),a,1.5,\(operation),4096,1772359201.5\n"
    }
    let text =
      "filename,file_offset,application,c_time,op_type,request_io_size_bytes,start_time\n"
      + rows.joined()
    let (source, records) = try readSource(text.utf8, "data.csv")
    #expect(source.format.name == "csv" && Set(records.map(\.key)).count == 2)
    #expect(records.map(\.size) == [4096, 4096, 4096, 4096])
    #expect(records.map(\.operation) == [0, 0, 0, 1])
    #expect(records[0].time == 1_772_359_201_500_000)
  }

  @Test func numbersOfBaleenAreOperations() throws {
    let text = "# block_id io_offset io_size op_time op_name\n7 0 512 1.5 5\n7 512 512 2 6\n"
    let (source, records) = try readSource(text.utf8, "a.trace", "meta-block:writes=set")
    #expect(records.map(\.operation) == [0, 1] && records.map(\.time) == [1_500_000, 2_000_000])
    #expect(source.format.name == "meta-block")
  }

  @Test func rowWithoutAllColumnsIsBad() throws {
    let text = "url,status,ts\n/a,200,1772359200\n/a,200\n/\"a,200,1772359200\n\"/a,200,1\n"
    let error = message { _ = try readTrace(text.utf8, "a.csv", "web-table") }
    #expect(error.contains("expected the columns of the header"), "\(error)")
  }

  @Test(arguments: ["", "1,2\n3,4\n", "{}\n{}\n", ",\n,\n", "a,a\n1,2\n"])
  func textWithoutAHeaderIsNoTable(_ text: String) {
    #expect(!message { _ = try readRecords(text.utf8, "a", "web-table") }.isEmpty)
  }
}
