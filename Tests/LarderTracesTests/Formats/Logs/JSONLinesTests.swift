import LarderEngine
import Testing

@testable import LarderTraces

/// JSON lines as different servers write them, and lines that are none.
@Suite
struct JSONLinesTests {
  private func load(_ text: String, _ spec: String? = nil) throws -> FileSource {
    let folder = try TestFolder()
    let path = try folder.write(text, to: "log")
    let source = try FileSource(path: path, format: spec.map { try ComponentSpec(parsing: $0) })
    // Opened while the folder is there.
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
    #"{"id":{"a":{"b":[[["#, #"{"id":1}x"#, #"{"id":1,}"#, #"{,}"#, "null", "\u{0}",
  ])
  func damagedLinesAreBad(_ line: String) {
    let text = message {
      _ = try load(#"{"id":"a","size":1}"# + "\n\(line)\n", "json-lines:max-bad=0")
    }
    #expect(text.contains(":2: expected a JSON object") || line == "{}", "\(text)")
  }

  @Test func escapesAreTakenOut() throws {
    let source = try load(
      #"{"id":"\/a\u0026\u00e9\ud83d\ude00\n","size":1}"# + "\n", "json-lines")
    #expect(try allRecords(source).map(\.key) == [KeyHash.hash("/a&é😀\n")])
  }

  @Test func deepNestingIsPassedOver() throws {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    let source = try load(#"{"x":\#(deep),"id":7}"# + "\n", "json-lines:id=id")
    #expect(try allRecords(source).map(\.key) == [7])
  }
}
