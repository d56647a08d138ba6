import LarderEngine
import Testing

@testable import LarderTraces

/// JSON lines of different servers, and invalid lines.
@Suite
struct JSONLinesTests {
  private func load(_ text: String, _ spec: String? = nil) throws -> FileSource {
    let folder = try TestFolder()
    let path = try folder.write(text, to: "log")
    let source = try FileSource(path: path, format: spec.map { try ComponentSpec(parsing: $0) })
    // The file is opened before the folder is removed.
    _ = try allRecords(source)
    kept.folders.append(folder)
    return source
  }

  private final class Kept { var folders: [TestFolder] = [] }
  private let kept = Kept()

  @Test func fieldsAreNamed() throws {
    let source = try load(
      #"{"ts": 1772359200123, "url": "/a", "bytes": 9, "code": 200, "#
        + #""why": [1, {"x": "}"}]}"# + "\n",
      "json-lines:time=ts:id=url:size=bytes:status=code")
    #expect(
      try allRecords(source) == [
        TraceRecord(key: KeyHash.hash("/a"), time: 1_772_359_200_123_000, size: 9)
      ])
  }

  @Test func envoyAndCloudflareAreRecognised() throws {
    let envoy = try load(
      #"{"start_time":"2026-03-01T10:00:00.500Z","method":"GET","path":"/a","authority":"h","#
        + #""response_code":200,"bytes_sent":12,"duration":7,"upstream_service_time":"5"}"# + "\n")
    #expect(
      try allRecords(envoy) == [
        TraceRecord(key: KeyHash.hash("h/a"), time: 1_772_359_200_500_000, size: 12, cost: 5)
      ])
    let cloudflare = try load(
      #"{"ClientRequestHost":"h","ClientRequestMethod":"GET","ClientRequestURI":"/a","#
        + #""EdgeResponseBytes":12,"EdgeResponseStatus":200,"#
        + #""EdgeStartTimestamp":1772359200000000000,"OriginResponseDurationMs":31}"# + "\n")
    #expect(
      try allRecords(cloudflare) == [
        TraceRecord(key: KeyHash.hash("h/a"), time: 1_772_359_200_000_000, size: 12, cost: 31)
      ])
  }

  @Test(arguments: [
    "{", "{}", "[]", #"{"id":"#, #"{"id":"x}"#, #"{"id":"\"#, #"{"id":"\u00"#, #"{"id" 1}"#,
    #"{"id":{"a":{"b":[[["#, #"{"id":1}x"#, #"{"id":1,}"#, #"{,}"#, "null", "\u{1}",
  ])
  func damagedLinesAreBad(_ line: String) {
    let text = message {
      _ = try load(#"{"id":"a","size":1}"# + "\n\(line)\n", "json-lines:max-bad=0")
    }
    #expect(text.contains(":2: expected a JSON object") || line == "{}", "\(text)")
  }

  @Test func escapesAreDecoded() throws {
    let source = try load(
      #"{"id":"\/a\u0026\u00e9\ud83d\ude00\n","size":1}"# + "\n", "json-lines")
    #expect(try allRecords(source).map(\.key) == [KeyHash.hash("/a&é😀\n")])
  }

  @Test func deepNestingIsSkipped() throws {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    let source = try load(#"{"x":\#(deep),"id":7}"# + "\n", "json-lines:id=id")
    #expect(try allRecords(source).map(\.key) == [7])
  }

  private func notes(_ text: String, _ spec: String? = nil) throws -> String {
    try readTrace(text.utf8, "log", spec).notes.joined(separator: "\n")
  }

  @Test func noteNamesKeysReadMissingAndUnused() throws {
    let line = #"{"ts":1772359200,"uri":"/a","outcome":502,"bytes":9,"agent":"x","latency_ms":3}"#
    let text = try notes(line + "\n")
    #expect(
      text.contains("keys read: id=uri, time=ts, size=bytes, cost=latency_ms (ms)"), "\(text)")
    #expect(
      text.contains(
        "no status found: every response counts as 200; name its key with json-lines:status=KEY"))
    #expect(text.contains("no method found: every request counts as a GET"))
    #expect(text.contains("no host found"))
    #expect(text.contains("keys not used: outcome, agent"))
    let named = try notes(line + "\n", "json-lines:status=outcome:hostname=-")
    #expect(named.contains("status=outcome") && !named.contains("no status"), "\(named)")
    #expect(!named.contains("no host"))
    let source = try load(line + "\n")
    #expect(source.understanding.contains { $0.hasPrefix("no status found") })
  }

  @Test func clientAddressesAreNotHosts() throws {
    let lines = (1...4).map { #"{"url":"/a","host":"192.0.2.\#($0)","status":200}"# }
    let text = try notes(lines.joined(separator: "\n"))
    #expect(text.contains("host is ignored because of its value '192.0.2.1'"), "\(text)")
    #expect(Set(try allRecords(load(lines.joined(separator: "\n"))).map(\.key)).count == 1)
  }

  @Test func linesWithoutStatusAreCounted() throws {
    let text = try notes(
      [#"{"url":"/a","status":200}"#, #"{"url":"/a","status":404}"#, #"{"url":"/b"}"#]
        .joined(separator: "\n"))
    #expect(text.contains("1 line without status counts as 200"), "\(text)")
  }

  @Test func unitOfTimeIsInferredPerValue() throws {
    let lines = [
      #"{"url":"/a","t0":""}"#, #"{"url":"/a","t0":1772359200}"#,
      #"{"url":"/a","t0":"1772359200250"}"#, #"{"url":"/a","t0":"2026-03-01T10:00:00.5Z"}"#,
    ]
    let source = try load(lines.dropFirst().joined(separator: "\n"), "json-lines:id=url:time=t0")
    #expect(
      try allRecords(source).map { $0.time - 1_772_359_200_000_000 } == [0, 250_000, 500_000])
    let text = message {
      _ = try load(lines.joined(separator: "\n"), "json-lines:time=t0:max-bad=0")
    }
    #expect(text.contains(":1: expected a date with a time or a number since 1970"), "\(text)")
    let seconds = try load(lines[1] + "\n", "json-lines:time=t0:time-unit=ms")
    #expect(try allRecords(seconds).map(\.time) == [1_772_359_200_000])
  }

  @Test func unitOfCostIsGiven() throws {
    let line = #"{"url":"/a","latency":7,"ts":1772359200}"#
    func cost(_ spec: String) throws -> [Float] { try allRecords(load(line, spec)).map(\.cost) }
    #expect(try cost("json-lines:cost-unit=s") == [7000])
    #expect(try cost("json-lines:cost-unit=us") == [0.007])
    #expect(try cost("json-lines:cost=latency") == [7])
    #expect(message { _ = try cost("json-lines:cost-unit=h") }.contains("one of s, ms, us, ns"))
  }

  @Test func namesDifferByCaseAndSeparators() throws {
    let line = #"{"Request-URI":"/a","HOST":"h","StatusCode":"502","Bytes_Sent":"5"}"#
    #expect(try allRecords(load(line)).map(\.key) == [KeyHash.hash("h/a")])
    #expect(try allRecords(load(line)).map(\.operation) == [Operation.bypass.rawValue])
    // Keys that differ only by case are different.
    let both = try load(#"{"URL":"/wrong","url":"/a","Url":"/other"}"#, "json-lines:id=url")
    #expect(try allRecords(both).map(\.key) == [KeyHash.hash("/a")])
  }

  @Test func queryIsAppendedOnce() throws {
    let lines = [
      #"{"path":"/a","args":"x=1","status":200}"#, #"{"path":"/a?x=1","args":"x=1","status":200}"#,
      #"{"args":"?x=1","status":200,"path":"/a"}"#, #"{"path":"/a","args":["x=1"],"status":200}"#,
    ]
    let keys = try allRecords(load(lines.joined(separator: "\n"))).map(\.key)
    #expect(Set(keys) == [KeyHash.hash("/a?x=1")])
    let bare = [
      #"{"path":"/a","args":"","status":200}"#, #"{"path":"/a","args":"-","status":200}"#,
      #"{"path":"/a","args":null,"status":200}"#, #"{"path":"/a","args":[],"status":200}"#,
    ]
    #expect(
      Set(try allRecords(load(bare.joined(separator: "\n"))).map(\.key)) == [KeyHash.hash("/a")])
    let dropped = try load(lines.joined(separator: "\n"), "json-lines:query=drop")
    #expect(Set(try allRecords(dropped).map(\.key)) == [KeyHash.hash("/a")])
    let named = try load(#"{"path":"/a","qs":"x=1"}"#, "json-lines:query-key=qs")
    #expect(try allRecords(named).map(\.key) == [KeyHash.hash("/a?x=1")])
  }

  @Test func keyOfEveryRoleCanBeNamed() throws {
    let line = #"{"u":"/a","s":502,"z":7,"t":1772359200,"m":"GET","h":"h","q":"x=1","c":3}"#
    let source = try load(
      line, "json-lines:id=u:status=s:size=z:time=t:method=m:hostname=h:query-key=q:cost=c:ttl=z")
    let record = try #require(try allRecords(source).first)
    #expect(record.key == KeyHash.hash("h/a?x=1") && record.size == 7 && record.cost == 3)
    #expect(record.operation == Operation.bypass.rawValue)
  }

  @Test func keysBehindHundredOthersAreRead() throws {
    let others = (0..<100).map { #""other_\#($0)":\#($0),"# }.joined()
    let line = #"{\#(others)"url":"/a","status":502,"size":7,"ts":1772359200,"host":"h"}"#
    let source = try load(line)
    let record = try #require(try allRecords(source).first)
    #expect(record.key == KeyHash.hash("h/a") && record.size == 7)
    #expect(record.operation == Operation.bypass.rawValue)
  }

  @Test(arguments: ["x.csv.log", "x.log", "x.json", "x.jsonl", "x"])
  func unknownKeysAreListed(_ name: String) throws {
    let folder = try TestFolder()
    let path = try folder.write(#"{"alpha":1,"beta":{"gamma":"x"}}"# + "\n", to: name)
    let text = message { _ = try FileSource(path: path) }
    #expect(
      text.contains(
        "JSON lines without a known key for a path, URL or id; keys: alpha, beta.gamma; name it"),
      "\(text)")
  }

  /// Objects of an array, over several lines, after a logger's prefix, and logfmt.
  @Test(arguments: [
    "[\n{\"url\":\"/a\",\"status\":200},\n{\"url\":\"/b}\",\"status\":502}\n]\n",
    "[{\"url\":\"/a\",\"status\":200},{\"url\":\"/b}\",\"status\":502}]",
    "{\n  \"url\": \"/a\",\n  \"status\": 200\n}\n{\n  \"url\": \"/b}\",\r\n  \"status\": 502\n}\n",
    "<134>2026-03-01T10:00:00Z cache-1 default[4]: {\"url\":\"/a\",\"status\":200}\n"
      + "Mar  1 10:00:00 web1 app: {\"url\":\"/b}\",\"status\":502}\n",
    "level=info url=/a status=200\nstatus=502 msg=\"x \\\"y\\\" z\" url=\"/b}\"\n",
  ])
  func objectsAreFoundInOtherLayouts(_ text: String) throws {
    let records = try allRecords(load(text))
    #expect(records.map(\.key) == [KeyHash.hash("/a"), KeyHash.hash("/b}")])
    #expect(records.map(\.operation) == [0, Operation.bypass.rawValue])
  }

  @Test(arguments: [("null,", 2), ("}", 3)])
  func textBetweenObjectsIsABadLine(_ between: String, _ lines: Int) {
    let text = [
      "[", #"{"url":"/a","status":200},"#, between, #"{"url":"/b","status":200}"#, "]\n",
    ].joined(separator: "\n")
    let error = message { _ = try load(text) }
    #expect(error.contains("1 of \(lines) lines cannot be read"), "\(error)")
  }

  @Test func linesInsideOfJSONAreRead() throws {
    func combined(_ target: String, _ status: Int = 200) -> String {
      #"192.0.2.7 - - [01/Mar/2026:10:00:00 +0000] "GET \#(target) HTTP/1.1" \#(status) 900"#
    }
    func docker(_ text: String, _ end: String = "\\n") -> String {
      let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return #"{"log":"\#(escaped)\#(end)","stream":"stdout","time":"2026-03-01T10:00:00.1Z"}"#
    }
    let lines = [
      docker(combined("/a")), docker(combined("/b"), ""), docker("1"), docker(combined("/c", 500)),
    ]
    let source = try load(lines.joined(separator: "\n"), nil)
    #expect(
      try allRecords(source).map(\.key)
        == [KeyHash.hash("/a"), KeyHash.hash("/b"), KeyHash.hash("/c")])
    let text = try notes(lines.joined(separator: "\n"))
    #expect(text.contains("log lines are in the key log, in the format combined"))
    let json = #"{"ts":1772359200,"uri":"/a","args":"x=1","status":502}"#
    let inner = try allRecords(load(docker(json) + "\n"))
    #expect(inner.map(\.key) == [KeyHash.hash("/a?x=1")])
    #expect(inner.map(\.operation) == [Operation.bypass.rawValue])
    let shipped =
      #"{"@timestamp":"2026-03-01T10:00:00Z","path":"/var/log/x","host":"web1","message":"#
      + "\"" + combined("/a").replacing("\"", with: "\\\"") + "\"}\n"
    #expect(try allRecords(load(shipped)).map(\.key) == [KeyHash.hash("/a")])
    #expect(
      try allRecords(load(shipped, "json-lines:id=path")).map(\.key)
        == [KeyHash.hash("web1/var/log/x")])
  }

  /// Sets belong to misses, and unknown sizes are filled, as in the lines by themselves.
  @Test(arguments: [SampleTrace.redisMonitor, .memcachedWatch, .twitter])
  func linesInsideOfJSONAreReadByTheirFormat(_ sample: SampleTrace) throws {
    let text = String(decoding: sample.bytes, as: UTF8.self)
    let lines = text.split(separator: "\n").map {
      let escaped = $0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return #"{"log":"\#(escaped)\n","stream":"stdout"}"# + "\n"
    }
    let (source, records) = try readSource(lines.joined().utf8, "log")
    #expect(source.understanding.contains { $0.hasSuffix("in the format \(sample.format)") })
    #expect(records == (try readRecords(text.utf8, sample.file)))
  }

  @Test func innerLinesOfALiveLogAreNotHeldBack() throws {
    let line = #"{"log":"h - - [01/Mar/2026:10:00:00 +0000] \"GET /a HTTP/1.1\" 200 5\n"}"# + "\n"
    var (lines, passed) = (0, 0)
    _ = try LiveTrace.decode(
      format: nil, from: "-", noticing: { _ in },
      input: { space in
        #expect(lines < 2 || passed == lines)
        if lines == 9 { return 0 }
        lines += 1
        space.copyBytes(from: line.utf8)
        return line.utf8.count
      },
      into: {
        passed += $0.count
        return true
      })
    #expect(passed == 9)
  }

  @Test func badInnerLineHasItsNumber() {
    let good = #"{"log":"h - - [01/Mar/2026:10:00:00 +0000] \"GET /a HTTP/1.1\" 200 5\n"}"#
    let parts = [
      #"{"log":"h - - [01/Mar/2026:10:00:00 +0000] \"GET /a"}"#,
      #"{"log":"b HTTP/1.1\" 200 5\n"}"#,
    ]
    let lines =
      [good, good] + parts + [#"{"log":"rubbish\n"}"#] + Array(repeating: good, count: 30)
    let text = message {
      _ = try load(lines.joined(separator: "\n"), "json-lines:max-bad=0")
    }
    #expect(text.contains(":5: expected a line such as"), "\(text)")
  }

  @Test func hostileNestingIsBounded() throws {
    let open = String(repeating: #"{"request":"#, count: 50_000)
    let close = String(repeating: "}", count: 50_000)
    let lines = [#"{"request":{"uri":"/a"},"status":200}"#, open + "1" + close]
    let text = try notes(lines.joined(separator: "\n"))
    #expect(text.contains("1 line was skipped: they have no method and path"), "\(text)")
    var nested = #"{"url":"/a"}"#
    for _ in 0..<8 {
      nested =
        #"{"log":""# + nested.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        + "\"}"
    }
    #expect(try allRecords(load(nested)).map(\.key) == [KeyHash.hash("/a")])
  }
}
