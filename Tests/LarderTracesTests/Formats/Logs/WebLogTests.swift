import LarderEngine
import Testing

@testable import LarderTraces

/// The options that all web logs share, through the combined format.
@Suite
struct WebLogTests {
  private func records(_ requests: [(String, String)], _ spec: String = "combined") throws
    -> [TraceRecord]
  {
    let folder = try TestFolder()
    let lines = requests.enumerated().map { index, request in
      "::1 - a user [01/Mar/2026:10:00:0\(index) +0000] \"\(request.0)\" \(request.1)\n"
    }
    let path = try folder.write(lines.joined(), to: "access.log")
    return try allRecords(FileSource(path: path, format: ComponentSpec(parsing: spec)))
  }

  private func keys(_ targets: [String], _ spec: String) throws -> [UInt64] {
    try records(targets.map { ("GET \($0) HTTP/1.1", "200 5") }, spec).map(\.key)
  }

  @Test func statusAndMethodDetermineStorability() throws {
    let codes = [200, 203, 206, 301, 304, 404, 410, 302, 500]
    let all = try records(codes.map { ("GET /\($0) HTTP/1.1", "\($0) 5") })
    #expect(
      all.map(\.operation) == [0, 0, 0, 0, 0, 0, 0, 4, 4], "get, or a request that passes")
    let some = try records([("GET /a HTTP/1.1", "302 5")], "combined:cacheable=200,302")
    #expect(some.map(\.operation) == [Operation.get.rawValue])
    let options = try records([("OPTIONS * HTTP/1.1", "200 5"), ("GET /a HTTP/1.1", "200 -")])
    #expect(options.map(\.operation) == [4, 0])
    let reads = try records(
      [("GET /a HTTP/1.1", "200 5"), ("PROPFIND /a HTTP/1.1", "200 5")],
      "combined:methods=PROPFIND")
    #expect(reads.map(\.operation) == [4, 0])
  }

  @Test func writesBypassInvalidateOrAreSkipped() throws {
    let requests = [
      ("PUT /a HTTP/1.1", "204 0"), ("DELETE /a HTTP/1.1", "403 9"),
      ("GET /a HTTP/1.1", "200 7"),
    ]
    #expect(try records(requests).map(\.operation) == [4, 4, 0])
    #expect(try records(requests, "combined:writes=invalidate").map(\.operation) == [2, 4, 0])
    #expect(try records(requests, "combined:writes=skip").map(\.operation) == [0])
  }

  @Test func queriesHostAndCase() throws {
    let targets = ["/a", "/a?x=1&y=2", "/a?y=2&x=1", "/A?x=1"]
    #expect(Set(try keys(targets, "combined")).count == 4)
    #expect(Set(try keys(targets, "combined:query=drop")).count == 2)
    #expect(Set(try keys(targets, "combined:query=drop:case=ignore")).count == 1)
    let only = try keys(targets, "combined:only=x")
    #expect(only[1] == only[2] && only[0] != only[1] && only[3] != only[1])
    let pattern = "combined:log-format='$host [$time_local] \"$request\" $status $bytes_sent'"
    let folder = try TestFolder()
    let path = try folder.write(
      "a.org [01/Mar/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 1\n"
        + "B.org [01/Mar/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 1\n", to: "hosts.log")
    let hosts = try allRecords(FileSource(path: path, format: ComponentSpec(parsing: pattern)))
    #expect(hosts.map(\.key) == [KeyHash.hash("a.org/"), KeyHash.hash("b.org/")])
    let none = try ComponentSpec(parsing: pattern + ":host=false")
    #expect(Set(try allRecords(FileSource(path: path, format: none)).map(\.key)).count == 1)
  }

  @Test func sizesComeFromFullResponses() throws {
    let folder = try TestFolder()
    let lines = [
      ("GET /a", "304 0"), ("GET /a", "200 100000"), ("HEAD /a", "200 100000"),
      ("GET /a", "206 10"),
      ("GET /a", "200 90000"), ("GET /b", "206 70"), ("GET /c", "304 0"),
    ].map { "h - - [01/Mar/2026:10:00:00 +0000] \"\($0.0) HTTP/1.1\" \($0.1)\n" }
    let path = try folder.write(lines.joined(), to: "access.log")
    func sizes(_ spec: String) throws -> [UInt32] {
      let trace = try PreparedTrace.load(path: path, format: ComponentSpec(parsing: spec))
      return (0..<trace.requests.count).compactMap { trace.requests.sizes?[$0] }
    }
    let rest: [UInt32] = [70, 90_000]
    #expect(try sizes("combined") == [90_000, 90_000, 90_000, 90_000, 90_000] + rest)
    #expect(try sizes("combined:size=max").first == 100_000)
    #expect(try sizes("combined:size=first").first == 100_000)
    let notes = try PreparedTrace.load(path: path).notes
    #expect(notes.contains { $0.hasPrefix("33 % of objects had more than one size") })
    #expect(notes.contains { $0.contains("given the median of the others, 90000 bytes") })
  }

  @Test func linesWithoutRequestAreCountedAndSkipped() throws {
    let folder = try TestFolder()
    let path = try folder.write(
      "h - - [01/Mar/2026:10:00:00 +0000] \"-\" 408 0 \"-\" \"-\"\n"
        + "h - - [01/Mar/2026:10:00:00 +0000] \"\\x16\\x03\\x01\" 400 0 \"-\" \"-\"\n"
        + "h - - [01/Mar/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"-\"\n",
      to: "access.log")
    let trace = try PreparedTrace.load(path: path)
    #expect(trace.requests.count == 1)
    #expect(trace.notes.contains("2 lines were skipped: they have no method and path."))
  }

  @Test(arguments: [
    ("query=sometimes", "query: expected keep or drop"),
    ("writes=maybe", "writes: expected one of"),
    ("cacheable=ok", "cacheable: expected status codes"), ("size=small", "size: expected one of"),
    ("max-bad=2", "max-bad: expected a share"), ("only=", "only: expected names"),
    ("log-format='$status'", "log-format: expected a log format of nginx or Apache (it has no"),
    ("log-format='$request$status'", "two fields need text between them"),
    ("log-format='%{%F}t %r'", "the time %{%f}t cannot be read"),
  ])
  func invalidOptionsAreErrors(_ option: String, _ expected: String) {
    let text = message { _ = try records([("GET / HTTP/1.1", "200 1")], "combined:\(option)") }
    #expect(text.contains(expected), "\(text)")
  }
}
