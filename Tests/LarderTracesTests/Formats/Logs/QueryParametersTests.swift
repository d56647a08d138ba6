import LarderEngine
import Testing

@testable import LarderTraces

/// Hints at query parameters that make many objects of one, and notes on requests without a cache.
@Suite
struct QueryParametersTests {
  private func notes(_ targets: [String], _ spec: String? = nil) throws -> [String] {
    let lines = targets.map {
      "192.0.2.1 - - [01/Mar/2026:10:00:00 +0000] \"GET \($0) HTTP/1.1\" 200 10\n"
    }
    return try readTrace(lines.joined().utf8, "a.log", spec).notes
  }

  @Test(arguments: [
    ("/a?utm_source=n#", "'utm_source'", "query=drop"),
    ("/a?utm_source=mail&utm_campaign=n#", "'utm_campaign'", "query=drop"),
    ("/a?id=%&fbclid=x#", "'fbclid'", "only=id"),
    ("/a?gclid=#&page=%", "'gclid'", "only=page"), ("/a?PHPSESSID=#", "'PHPSESSID'", "query=drop"),
    ("/a?v=%&_=17723592000#", "'_'", "only=v"), ("/a?17723592000#", "'(no name)'", "query=drop"),
    ("/a?v=1&visit=a1b2c3d4e5f6#", "'visit'", "only=v"),
    ("http://a.example/a?sid=#", "'sid'", "query=drop"),
  ])
  func parametersOfVisitsAreNamedWithTheOption(
    _ target: String, _ name: String, _ option: String
  ) throws {
    let targets = (0..<80).map {
      target.numbered($0).replacing("%", with: "\($0 % 3)")
    }
    let hints = try notes(targets).filter { $0.hasPrefix("Query parameters") }
    #expect(hints.count == 1, "\(hints)")
    #expect(hints.first?.contains("\(name) (80 values in 80 requests)") == true, "\(hints)")
    #expect(hints.first?.contains("--format auto:\(option) ") == true, "\(hints)")
    #expect(try notes(targets, "auto:\(option)").isEmpty)
  }

  @Test(arguments: [
    "/a?id=#", "/a?page=%", "/a", "/a?utm_source=news", "/a#?ts=1", "/find?q=word#",
  ])
  func otherParametersAreNotNamed(_ target: String) throws {
    let targets = (0..<80).map { target.numbered($0).replacing("%", with: "\($0 % 9)") }
    #expect(try notes(targets).isEmpty)
  }

  @Test func requestsThatBypassCachesAreCountedInANote() throws {
    let folder = try TestFolder()
    let lines = ["GET /a", "POST /a", "GET /b", "PUT /c"].map {
      "192.0.2.1 - - [01/Mar/2026:10:00:00 +0000] \"\($0) HTTP/1.1\" 200 10\n"
    }
    let trace = try PreparedTrace.load(path: folder.write(lines.joined(), to: "a.log"))
    let note =
      "2 of 4 requests (50 %) may not be answered by a cache (writes, statuses, no-store): every "
      + "hit ratio counts them as misses."
    #expect(trace.notes == [note])
    try TraceWriter.larder.write(trace, to: folder.path("a.larder"))
    #expect(try PreparedTrace.load(path: folder.path("a.larder")).notes == [note])
  }
}
