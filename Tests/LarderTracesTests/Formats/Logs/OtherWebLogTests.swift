import LarderEngine
import Testing

@testable import LarderTraces

/// Logs of Squid, HAProxy, S3 and load balancers, and W3C extended logs.
@Suite
struct OtherWebLogTests {
  private func load(_ lines: [String], _ spec: String? = nil) throws -> PreparedTrace {
    try readTrace(lines.map { "\($0)\n" }.joined().utf8, "a.log", spec)
  }

  private func source(_ lines: [String]) throws -> (FileSource, [TraceRecord]) {
    try readSource(lines.map { "\($0)\n" }.joined().utf8, "a.log")
  }

  @Test(arguments: [
    "TAG_NONE/503", "NONE/400", "NONE_NONE/000", "NONE_ABORTED/200", "TCP_MISS_ABORTED/200",
    "TCP_REFRESH_UNMODIFIED_ABORTED/304", "UDP_INVALID/000", "TCP_TUNNEL/200",
    "TCP_INM_HIT/304", "SWAPFAIL/200", "TCP_CF_MISS/200",
  ])
  func resultsOfSquidAreRecognised(_ result: String) throws {
    let (source, records) = try source(
      (0..<10).map {
        "177235920\($0).000  1 192.0.2.1 \(result) 7 GET http://a.org/ - HIER_NONE/- -"
      })
    #expect(source.format.name == "squid" && records.count == 10)
  }

  private static let statuses: [(format: String, lines: [String])] = [
    (
      "squid",
      ["TCP_MISS", "TCP_MEM_HIT", "TCP_REFRESH_UNMODIFIED", "TCP_HIT", "TCP_DENIED"].map {
        "1772359200.000 1 ::1 \($0)/200 9 GET http://a.org/ - - -"
      }
    ),
    (
      "json-lines",
      ["HIT", "-", "MISS", "STALE", "UPDATING", "EXPIRED"].map {
        #"{"ts":1772359200,"uri":"/a","status":200,"bytes":9,"upstream_cache_status":"\#($0)"}"#
      }
    ),
    (
      "w3c",
      ["#Fields: date time cs-method cs-uri-stem sc-status sc-bytes x-edge-result-type"]
        + ["Hit", "Miss", "RefreshHit", "Error", "OriginShieldHit"].map {
          "2026-03-01 10:00:00 GET /a 200 9 \($0)"
        }
    ),
    (
      #"combined:log-format='$time_iso8601 "$request" $status $upstream_cache_status'"#,
      ["HIT", "HIT", "MISS", "BYPASS", "REVALIDATED"].map {
        #"2026-03-01T10:00:00+00:00 "GET /a HTTP/1.1" 200 \#($0)"#
      }
    ),
    ("combined", combined(["HIT", "HIT", "MISS", "EXPIRED", "STALE"])),
    ("combined", combined([#""HIT""#, #""HIT""#, #""-""#, #""MISS""#, #""BYPASS""#, #""HIT""#])),
    ("combined", combined(["rt=0.1 cs=HIT", "cs=MISS", "cs=-", "cs=HIT", "cs=HIT", "cs=MISS"])),
    ("combined", combined(["hit", "pass", "hit", "miss", "hit"])),
    (
      "combined",
      combined(["TCP_HIT:NONE", "TCP_MEM_HIT:NONE", "TCP_MISS:D", "TCP_MISS:D", "TCP_HIT:NONE"])
    ),
  ]

  private static func combined(_ tails: [String]) -> [String] {
    tails.map {
      #"192.0.2.1 - - [01/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 9 "-" "a HIT b" \#($0)"#
    }
  }

  @Test(arguments: statuses.indices)
  func hitRatioOfTheServerIsReported(_ index: Int) throws {
    let folder = try TestFolder()
    let (format, lines) = Self.statuses[index]
    let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "a.log")
    let trace = try PreparedTrace.load(path: path, format: ComponentSpec(parsing: format))
    #expect(trace.reading.outcomes.hits == 3 && trace.reading.outcomes.misses == 2, "\(format)")
    #expect(trace.notes.contains { $0.contains("hit ratio of 60.0 %: 3 of ") })
  }

  @Test func truncatedSquidResponsesSetNoSize() throws {
    let trace = try load([
      "1772359200.000 1 192.0.2.1 TCP_MISS/200 9000 GET http://a.org/ - HIER_DIRECT/- -",
      "1772359201.000 1 192.0.2.1 TCP_MISS_ABORTED/200 10 GET http://a.org/ - HIER_DIRECT/- -",
    ])
    #expect(trace.footprintBytes == 9000)
  }

  @Test func squidBehindSyslog() throws {
    let (source, records) = try source([
      "Mar  1 10:00:00 proxy (squid-1): 1772359200.000 1 ::1 TCP_MISS/200 9 GET http://a.org/ - - -"
    ])
    #expect(source.format.name == "squid" && records.map(\.key) == [KeyHash.hash("http://a.org/")])
  }

  @Test func runsOfBlanksAndQuotesInW3C() throws {
    let fields = "#Fields:  c-ip  date  time  cs-method cs(User-Agent)  cs-uri  sc-status  bytes"
    let (_, records) = try source([
      "#Version: 1.0", fields,
      "192.0.2.1    2026-03-01   10:00:00   GET   \"a b \\\"c\"    /p/1    200     1000",
      "192.0.2.1 \t 2026-03-01\t10:00:01 \"GET\" ua \"/p/1\" 200 1000  ",
      "192.0.2.1 2026-03-01 10:00:02 GET \"ua /p/1 200 1000",
    ])
    #expect(records.map(\.key) == Array(repeating: KeyHash.hash("/p/1"), count: 3))
    #expect(records.map(\.size) == [1000, 1000, 1000])
    #expect(records.map { $0.time % 60_000_000 } == [0, 1_000_000, 2_000_000])
  }

  @Test func fieldsBetweenTabsMayHoldBlanksOrBeEmpty() throws {
    let (_, records) = try source([
      "#Fields: date\ttime\tcs-method\tcs(User-Agent)\tcs-uri-stem\tcs-uri-query\tsc-status",
      "2026-03-01\t10:00:00\tGET\ta b c\t/p\t\t200", "2026-03-01\t10:00:00\tGET\t\t/p\ta=1\t200",
      "2026-03-01\t\t10:00:00\t\tGET\t\tx\t\t/p\t\t-\t\t200",
    ])
    #expect(
      records.map(\.key) == [KeyHash.hash("/p"), KeyHash.hash("/p?a=1"), KeyHash.hash("/p")])
  }

  @Test func namesOfW3CFields() throws {
    let (source, records) = try source([
      "#Fields: date time s-computername cs-host cs-method cs-uri-path cs-uri-query sc-status "
        + "sc-bytes time-taken x-edge",
      "2026-03-01 10:00:00 SRV7 Example.org GET /a ?x=1 200 9 0.250 -",
    ])
    #expect(records.map(\.key) == [KeyHash.hash("example.org/a?x=1")])
    #expect(records.map(\.cost) == [250])
    #expect(source.understanding.contains("cs-host is the host"))
    #expect(source.understanding.contains("not used: s-computername, x-edge"))
    #expect(source.understanding.contains("time-taken is in seconds"))
    let (bare, _) = try self.source([
      "#Fields: date time s-computername cs-uri", "2026-03-01 10:00:00 SRV7 http://a.org/a",
    ])
    #expect(
      bare.understanding.contains(
        "no column has the host, the status (every response counts as 200), the size"))
  }

  @Test func unquotedBlanksBeforeAFieldAreABadLine() throws {
    let fields = "#Fields: date time cs(User-Agent) cs-uri-stem sc-status"
    let good = "2026-03-01 10:00:00 ua /a 200"
    let trace = try load(
      [fields] + Array(repeating: good, count: 200) + ["2026-03-01 10:00:00 ua 200 /a 200"])
    #expect(trace.requests.count == 200 && trace.reading.badLines == 1)
  }

  @Test func bucketsAndKeysOfS3AreSeparated() throws {
    func line(_ bucket: String, _ key: String, _ operation: String) -> String {
      "o \(bucket) [01/Mar/2026:10:00:00 +0000] 192.0.2.3 - R \(operation) \(key) "
        + "\"GET /x?versionId=7&X-Amz-Signature=\(operation) HTTP/1.1\" "
        + "200 - 5 70 1 1 \"-\" \"-\" -"
    }
    let (source, records) = try source([
      line("ab", "c/d", "REST.GET.OBJECT"), line("a", "bc/d", "WEBSITE.GET.OBJECT"),
      line("ab", "c/d", "REST.GET.ACL"), line("ab", "c/d", "REST.POST.UPLOAD"),
      line("ab", "c/d", "BATCH.DELETE.OBJECT"), line("ab", "c/d", "REST.COPY.OBJECT_GET"),
    ])
    #expect(source.format.name == "s3")
    #expect(records.map(\.operation) == [0, 0, 4, 4, 4, 4])
    #expect(records[0].key != records[1].key && records[0].size == 70)
    let trace = try load(
      [line("ab", "c/d", "REST.GET.OBJECT"), line("ab", "c/d", "BATCH.DELETE.OBJECT")],
      "s3:writes=invalidate")
    #expect((0..<2).compactMap { trace.requests.operations?[$0] } == [0, 2])
  }

  @Test func linesOfS3WithoutAKeyAreCounted() throws {
    let line =
      "o b [01/Mar/2026:10:00:00 +0000] 192.0.2.3 - R REST.GET.BUCKET - \"GET / HTTP/1.1\" 200 - 5 "
      + "- 1 1 \"-\" \"-\" -"
    let get = line.replacing("REST.GET.BUCKET -", with: "REST.GET.OBJECT k")
    #expect(
      try load([line, get, get]).notes.contains(
        "1 line was skipped: they are not operations on an object."))
  }

  @Test(arguments: ["http", "https", "h2", "grpcs", "ws", "wss", ""])
  func typesOfLoadBalancers(_ type: String) throws {
    let (source, records) = try source(
      [
        "\(type) 2026-03-01T10:00:00.123456Z app/lb/0 192.0.2.7:50718 10.0.0.1:80 "
          + "0.000 0.003 0.000 200 200 29 1002 \"GET https://a.org:443/?q=1 HTTP/2.0\" \"curl\" - -"
      ].map { $0.hasPrefix(" ") ? String($0.dropFirst()) : $0 })
    #expect(source.format.name == "alb")
    #expect(records.map(\.key) == [KeyHash.hash("https://a.org:443/?q=1")])
    #expect(records.map(\.cost) == [3] && records.map(\.size) == [1002])
  }

  @Test func capturedHeaderOfHAProxyIsTheHost() throws {
    func lines(_ header: (Int) -> String) -> [String] {
      (0..<30).map {
        "192.0.2.7:50718 [01/Mar/2026:10:00:00.123] www app/<NOSRV> 0/0/1/12/13 200 43 - - ---- "
          + "3/3/1/1/0 0/0 \(header($0))\"GET /a HTTP/1.1\""
      }
    }
    func objects(_ header: (Int) -> String) throws -> Int {
      let (source, records) = try source(lines(header))
      #expect(source.format.name == "haproxy")
      return Set(records.map(\.key)).count
    }
    #expect(try objects { "{h\($0 % 3).example.org|ua} " } == 3)
    #expect(try objects { "{|ua\($0)} {} " } == 1)
    #expect(try objects { "{client\($0).example.org} " } == 1)
    #expect(try objects { _ in "" } == 1)
  }
}
