import LarderEngine
import Testing

@testable import LarderTraces

/// Log formats pasted from server configurations.
@Suite
struct LogPatternTests {
  /// Sizes are those of bodies, wherever they stand; what is more are headers.
  @Test(arguments: ["%h %O [%{sec}t] \"%r\" %s %b", "%h %b [%{sec}t] \"%r\" %s %O"])
  func headersAreReported(_ format: String) throws {
    let isFirst = format.hasPrefix("%h %O")
    let lines = (0..<3).map { line in
      let (body, total) = (900 + line, 1200 + 2 * line)
      return "h \(isFirst ? total : body) [1772359200] \"GET /\(line) HTTP/1.1\" 200 "
        + "\(isFirst ? body : total)\n"
    }
    let (source, records) = try readSource(
      lines.joined().utf8, "a.log", "combined:log-format='\(format)'")
    #expect(records.map(\.size) == [900, 901, 902])
    let notes = source.reading.notes(objects: 3)
    #expect(notes.contains { $0.contains("Headers take 301 bytes") }, "\(notes)")
  }

  @Test func headersOfAnySizeAreSummed() throws {
    let line = "[1772359200] \"GET /a HTTP/1.1\" 200 5 18446744073709551615\n"
    #expect(try records(line + line, "[%{sec}t] \"%r\" %s %b %O").map(\.size) == [5, 5])
  }

  private func records(_ text: String, _ pattern: String) throws -> [TraceRecord] {
    try readRecords(text.utf8, "access.log", "combined:log-format='\(pattern)'")
  }

  @Test func nginxWithUpstreamTimeAndCaching() throws {
    let all = try records(
      #"192.0.2.1 1772359200.250 "GET /a HTTP/2.0" 200 512 "0.012, 0.030" "public, s-maxage=60""#
        + "\n"
        + #"192.0.2.1 1772359201.000 "GET /a HTTP/2.0" 200 512 "-" "no-store" more"# + "\n",
      #"$remote_addr $msec "$request" $status $body_bytes_sent "$upstream_response_time" "#
        + #""$upstream_http_cache_control""#)
    #expect(
      all == [
        TraceRecord(
          key: KeyHash.hash("/a"), time: 1_772_359_200_250_000, size: 512, ttl: 60, cost: 42),
        TraceRecord(
          key: KeyHash.hash("/a"), time: 1_772_359_201_000_000, size: 512,
          cost: TraceRecord.unknownCost, operation: .bypass),
      ])
  }

  @Test func apacheWithMicroseconds() throws {
    let all = try records(
      #"www.example.org:80 ::1 [01/Mar/2026:10:00:00 +0000] "GET /x HTTP/1.1" 200 77 1500"# + "\n",
      #"%v:%p %h %t \"%r\" %>s %b %D"#)
    #expect(all.count == 1)
    #expect(all[0].key == KeyHash.hash("www.example.org/x") && all[0].cost == 1.5)
  }

  @Test func expiresIsTimeToLive() throws {
    let all = try records(
      #"[01/Mar/2026:10:00:00 +0000] "GET /x HTTP/1.1" 200 7 "Sun, 01 Mar 2026 10:01:00 GMT""#
        + "\n"
        + #"[01/Mar/2026:10:00:00 +0000] "GET /y HTTP/1.1" 200 7 "0""# + "\n",
      #"[$time_local] "$request" $status $bytes_sent "$sent_http_expires""#)
    #expect(all.map(\.ttl) == [60, 0] && all[1].operation == Operation.bypass.rawValue)
  }

  @Test func methodPathAndQueryApart() throws {
    let all = try records(
      "2026-03-01T10:00:00+00:00|GET|/x|a=1|200|7\n",
      "$time_iso8601|$request_method|$uri|$args|$status|${body_bytes_sent}")
    #expect(all.map(\.key) == [KeyHash.hash("/x?a=1")])
  }

  @Test func virtualHostsAreRecognised() throws {
    let folder = try TestFolder()
    let path = try folder.write(
      "site:443 ::1 - - [01/Mar/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"-\"\n",
      to: "other_vhosts_access.log")
    let source = try FileSource(path: path)
    #expect(source.format.name == "combined")
    #expect(try allRecords(source).map(\.key) == [KeyHash.hash("site:443/")])
    #expect(source.understanding.first?.contains("%v") == true)
  }

  private static let line =
    #"192.0.2.1 - ann [01/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 512 "-" "ua" "-""# + "\n"

  private static let directives: [String] = [
    """
    log_format  main  '$remote_addr - $remote_user [$time_local] "$request" '
                      '$status $body_bytes_sent "$http_referer" '
                      '"$http_user_agent" "$http_x_forwarded_for"';
    """,
    #"log_format main escape=json "$remote_addr - $remote_user [$time_local] "#
      + #"\"$request\" $status ""#
      + "\n  \"$body_bytes_sent\";",
    #"LogFormat "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-agent}i\"" combined"#,
    #"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent"#,
  ]

  @Test(arguments: directives)
  func wholeDirectiveIsAFormat(_ pattern: String) throws {
    let all = try records(Self.line, pattern)
    #expect(all.map(\.key) == [KeyHash.hash("/a")] && all.map(\.size) == [512])
    #expect(all.map(\.time) == [1_772_359_200_000_000])
  }

  @Test func matchingFormatOfAFileIsChosen() throws {
    let folder = try TestFolder()
    let log = try folder.write(Self.line, to: "access.log")
    let nginx = try folder.write(
      """
      # log_format old '$request';
      http {
        log_format timed '$msec "$request" $status $body_bytes_sent';
        log_format main '$remote_addr - $remote_user [$time_local] "$request" '
          '$status $body_bytes_sent';
        access_log /var/log/nginx/access.log main;
      }
      """, to: "nginx.conf")
    let apache = try folder.write(
      """
      <IfModule log_config_module>
        LogFormat "%t \\"%r\\" %>s %b" short
        LogFormat "%h %l %u %t \\"%r\\" %>s %b" \\
          common
      </IfModule>
      """, to: "httpd.conf")
    func keys(_ option: String) throws -> [UInt64] {
      let spec = ComponentSpec(name: "combined", values: ["log-format": option])
      return try allRecords(FileSource(path: log, format: spec)).map(\.key)
    }
    for option in ["@\(nginx)", "@\(nginx)#main", "@\(apache)", "@\(apache)#common"] {
      #expect(try keys(option) == [KeyHash.hash("/a")], "\(option)")
    }
    #expect(
      message { _ = try keys("@\(nginx)#other") }.contains("no format 'other', but timed, main"))
    #expect(message { _ = try keys("@\(log)") }.contains("has no log_format and no LogFormat"))
    #expect(message { _ = try keys("@\(log).none") }.contains("cannot be opened"))
  }

  @Test func colonsInQuotesBelongToTheValue() throws {
    let spec = try ComponentSpec(parsing: "combined:log-format='$host:$request':size=max")
    #expect(spec.values == ["log-format": "$host:$request", "size": "max"])
    #expect(try ComponentSpec(parsing: spec.description) == spec)
  }
}
