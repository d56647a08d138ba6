import LarderEngine
import Testing

@testable import LarderTraces

/// Lines of access logs with clients, hosts and a logger's prefix before the time.
@Suite
struct CombinedLayoutTests {
  private static let rest = #"[01/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 10 "-" "ua""#

  private func trace(_ heads: [String], _ spec: String? = nil) throws -> PreparedTrace {
    try load(heads.map { "\($0) \(Self.rest)\n" }.joined(), spec)
  }

  private func load(_ text: String, _ spec: String? = nil) throws -> PreparedTrace {
    try readTrace(text.utf8, "access.log", spec)
  }

  private func source(_ heads: [String]) throws -> (FileSource, [UInt64]) {
    let (source, records) = try readSource(heads.map { "\($0) \(Self.rest)\n" }.joined().utf8)
    return (source, records.map(\.key))
  }

  /// All lines request one object, with different clients before it.
  @Test(arguments: [
    ["203.0.113.# 10.0.0.1 - -"], ["203.0.113.#, 10.0.0.1 - -"], ["203.0.113.#,10.0.0.1 - -"],
    ["203.0.113.#, 198.51.100.7, 10.0.0.1 - -"], ["203.0.113.#, unknown, 10.0.0.1 - -"],
    ["203.0.113.#, 10.0.0.1 - -", "203.0.113.# - -", "203.0.113.# - -"],
    ["203.0.113.# - -", "203.0.113.# 10.0.0.1 - -", "203.0.113.# 10.0.0.1 - -"],
    ["2001:db8::# 10.0.0.1 - -"], ["2001:db8::#, ::ffff:10.0.0.1 - -"],
    ["[2001:db8::#]:443 10.0.0.1 - -"], ["203.0.113.#:5678 10.0.0.1 - -"],
    ["\"203.0.113.#, 10.0.0.2\" 10.0.0.1 - -"], ["203.0.113.#  10.0.0.1  -  -"],
    ["- 10.0.0.1 - -", "203.0.113.# 10.0.0.1 - -"],
    ["unknown 10.0.0.1 - -", "203.0.113.# 10.0.0.1 - -"],
    ["203.0.113.7 - John Smith #"], ["203.0.113.7 - # J. Smith"],
    ["203.0.113.7 - ann@example.org #"], ["203.0.113.7 - [a] #"],
    ["client#.isp.example - John Smith"], ["client#.isp.example - -"],
    ["client#.isp.example 10.0.0.1 - -"], [""],
  ])
  func clientsAndUsersAreNotInTheKey(_ heads: [String]) throws {
    let trace = try trace((0..<60).map { heads[$0 % heads.count].numbered($0) })
    #expect(trace.requests.count == 60 && trace.requests.objects == 1, "\(heads)")
    #expect(trace.reading.badLines == 0)
  }

  @Test func clientsInFrontAreNamedInANote() throws {
    let notes = try trace((0..<60).map { "203.0.113.\($0) 10.0.0.1 - -" }).notes
    #expect(notes.contains { $0.hasPrefix("60 lines: several client addresses in front") })
    let (source, _) = try source((0..<60).map { "203.0.113.\($0), 10.0.0.1 - -" })
    #expect(
      source.understanding.contains {
        $0.hasPrefix("60 of the first 60 lines have several client addresses in front")
      })
    #expect(try trace(["192.0.2.1 - -", "192.0.2.1 - -"]).notes.isEmpty)
  }

  @Test(arguments: [
    "www#.example.org 192.0.2.1 - -", "www#.example.org 192.0.2.1 - John Smith",
    "www#.example.org 192.0.2.1, 10.0.0.1 - -", "www#.example.org ::1 - -",
    "www#.example.org 443 192.0.2.1 - -", "\"www#.example.org\" 192.0.2.1 - -",
    "192.0.2.1 www#.example.org -", "192.0.2.1 - - www#.example.org",
    "192.0.2.1 - ann www#.example.org", "web-1  | www#.example.org 192.0.2.1 - -",
  ])
  func virtualHostIsPartOfTheKey(_ head: String) throws {
    let (source, keys) = try source((0..<60).map { head.numbered($0 % 3) })
    #expect(Set(keys) == Set((0..<3).map { KeyHash.hash("www\($0).example.org/a") }))
    #expect(
      source.understanding.contains {
        $0 == "virtual hosts, such as 'www0.example.org', in 60 of the first 60 lines"
      })
    #expect(source.reading.notes(objects: 3).contains { $0.contains("a virtual host is part") })
  }

  @Test func portOfAVirtualHostIsKept() throws {
    let (_, keys) = try source(["example.org:443 192.0.2.1 - -"])
    #expect(keys == [KeyHash.hash("example.org:443/a")])
  }

  @Test func virtualHostBetweenTimeAndRequest() throws {
    let text = (0..<20).map {
      "192.0.2.1 - - [01/Mar/2026:10:00:00 +0000] h\($0 % 2).example \"GET /a HTTP/1.1\" 200 1\n"
    }
    #expect(try load(text.joined()).requests.objects == 2)
  }

  @Test func linesOfOtherLayoutsAreParsed() throws {
    let heads = (0..<90).map { "example.org 192.0.2.\($0) - -" }
    let (_, keys) = try source(
      heads + ["192.0.2.1 - -", "- 192.0.2.1 - -", "example.org - - -", "192.0.2.1 10.0.0.1 - -"])
    let (hosted, bare) = (KeyHash.hash("example.org/a"), KeyHash.hash("/a"))
    #expect(keys.suffix(4) == [bare, bare, hosted, bare])
    let notes = try trace(heads + ["192.0.2.1 - -"]).notes
    #expect(notes.contains("1 line: no virtual host, unlike most lines."))
    #expect(
      notes.contains(
        "90 lines: a virtual host is part of the key (host=false excludes it)."))
    let (_, mostlyBare) = try source((0..<90).map { "192.0.2.\($0) - -" } + ["a.org ::1 - -"])
    #expect(mostlyBare.last == KeyHash.hash("a.org/a") && mostlyBare.first == bare)
  }

  @Test(arguments: [
    "Mar  1 10:00:00 web1 nginx: ", "<190>Mar  1 10:00:00 web1 nginx: ",
    "Mar  1 10:00:00 web1 nginx[123]: ", "Mar 01 10:00:00 web1 ",
    "2026-03-01T10:00:00.123456+00:00 web1 nginx: ", "2026-03-01T10:00:00Z stdout F ",
    "<190>1 2026-03-01T10:00:00Z web1 nginx 123 - - ",
    "<190>1 2026-03-01T10:00:00Z web1 nginx 123 - [a@1 b=\"c d\"][e@1] ", "web-1  | ",
    "nginx_1 | ", "[pod/web-abc/nginx] ", "2026-03-01T10:00:00.123456789Z ",
  ])
  func loggerPrefixIsSkipped(_ prefix: String) throws {
    let trace = try trace((0..<20).map { "\(prefix)192.0.2.\($0) - -" })
    #expect(trace.requests.count == 20 && trace.requests.objects == 1)
    #expect(
      trace.notes.contains(
        "20 lines: the prefix of a logger (syslog, a container) is ignored.")
    )
    let (source, keys) = try source((0..<20).map { "\(prefix)example.org 192.0.2.\($0) - -" })
    #expect(Set(keys) == [KeyHash.hash("example.org/a")])
    #expect(source.understanding.contains { $0.contains("the prefix of a logger, such as") })
  }

  @Test(arguments: [
    "192.0.2.1 - - [01/Mar/2026:10:00:00] \"GET /a HTTP/1.1\" 200 10",
    "192.0.2.1 - - [2026-03-01T10:00:00+00:00] \"GET /a HTTP/1.1\" 200 10",
    "192.0.2.1 - - [2026-03-01 10:00:00] \"GET /a HTTP/1.1\" 200 10",
    "[::1] - - [01/Mar/2026:10:00:00.000 +0000]  \"GET /a HTTP/1.1\" 200 -",
    "[01/Mar/2026:10:00:00 +0000] \"GET /a HTTP/1.1\" 200 10",
    "192.0.2.1 - - [01/Mar/2026:10:00:00 +0000] 0.003 \"GET /a HTTP/1.1\" 200 10",
  ])
  func timeAndRequestAreFound(_ line: String) throws {
    let folder = try TestFolder()
    let source = try FileSource(path: folder.write(line + "\n", to: "log"))
    let records = try allRecords(source)
    #expect(source.format.name == "combined")
    #expect(records.map(\.key) == [KeyHash.hash("/a")])
    #expect(records.map(\.time) == [1_772_359_200_000_000])
  }

  /// Alibaba's CDN, Tomcat without quotes, CloudFront in real time.
  @Test(arguments: [
    "1772359200.000\t::1\t0.012\t200\t512\tGET\thttps\td1.example\t/a\t50\tFRA\tx==\th\t0.03",
    #"[01/Mar/2026:18:00:00 +0800] 192.0.2.1 - 10 "-" "GET /a" 200 191 512 MISS "ua" "text/html""#,
    #"10.0.1.17:8081 - - - [01/Mar/2026:06:00:00 -0400] GET /a HTTP/1.1 200 512 "-" "ua""#,
  ])
  func linesOfOtherProgramsAreRecognised(_ line: String) throws {
    let folder = try TestFolder()
    let source = try FileSource(path: folder.write("\(line)\n\(line)\n", to: "log"))
    let records = try allRecords(source)
    #expect(records.map(\.size) == [512, 512] && records.map(\.operation) == [0, 0])
    #expect(records.map(\.time) == [1_772_359_200_000_000, 1_772_359_200_000_000])
    #expect(Set(records.map(\.key)) == [KeyHash.hash(line.contains("\tGET") ? "h/a" : "/a")])
    #expect(source.reading.notes(objects: 1).contains { $0.hasPrefix("Lines are read as ") })
  }

  @Test(arguments: [
    ("192.0.2.1", true), ("192.0.2.1:80", true), ("::1", true), ("[::1]:80", true),
    ("fe80::1%eth0", true), ("::ffff:192.0.2.1", true), ("192.0.2", false), ("cafe:443", false),
    ("example.org", false), ("-", false), ("192.0.2.1:", false), ("1234.1.1.1", false),
    ("[::1", false), ("", false),
  ])
  func addresses(_ text: String, _ expected: Bool) {
    #expect(TextField.with(text) { $0.isAddress } == expected)
    #expect(!TextField.with(text) { $0.isAddress && $0.isHostName })
  }

  @Test(arguments: [
    ("example.org", true), ("example.org:443", true), ("localhost", true), ("cafe:443", true),
    ("_", true), ("bücher.example", true), ("-", false), ("unknown", false), ("", false),
    ("1772359200.123", false), ("a,b", false), ("a:b", false), ("a b", false), ("a/b", false),
    ("10.0.0.1", false),
  ])
  func hostNames(_ text: String, _ expected: Bool) {
    #expect(TextField.with(text) { $0.isHostName } == expected)
  }
}

extension String {
  /// The text with a number for each `#`.
  func numbered(_ number: Int) -> String { replacing("#", with: "\(number)") }
}
