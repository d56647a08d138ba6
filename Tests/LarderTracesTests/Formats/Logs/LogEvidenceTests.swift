import LarderEngine
import Testing

@testable import LarderTraces

/// Meanings of lines and columns that the content decides: hosts, ids, operations and clocks.
@Suite
struct LogEvidenceTests {
  private func load(
    _ lines: [String], _ name: String = "access.log", _ spec: String? = nil
  ) throws -> PreparedTrace {
    try readTrace(lines.map { $0 + "\n" }.joined().utf8, name, spec)
  }

  private func records(
    _ lines: [String], _ name: String = "access.log", _ spec: String? = nil
  ) throws -> [TraceRecord] {
    try readRecords(lines.map { $0 + "\n" }.joined().utf8, name, spec)
  }

  private static let request = #""GET /a HTTP/1.1" 200"#
  private static let time = "[2026-03-01T10:00:00.000Z]"

  @Test(arguments: [
    #"\#(time) \#(request) - 0 512 31 12 "-" "ua \"x\" y" "id" "A.example" "10.0.0.7:80""#,
    #"\#(time) \#(request) UF,URX 7 512 31 12 "1.2.3.4,5.6.7.8" "ua" "id" "a.example" "-""#,
    #"ACCESS \#(time) \#(request) - 0 512 31 12 "-" "ua" "id" "a.example" "10.0.0.7:80""#,
    #"\#(time) \#(request) - via_upstream - "-" 0 512 31 12 "-" "ua" "id" "a.example" "-" out"#,
    #"\#(time) \#(request) - "-" "-" 0 512 31 12 "-" "ua" "id" "a.example" "-" inbound|80||"#,
    #"\#(time) \#(request) - direct - "no healthy upstream" 9 512 31 12 "-" "u" "id" "a.example""#,
  ])
  func envoyHasHostAndBytesSent(_ line: String) throws {
    let all = try records([line, line])
    #expect(all.map(\.key) == Array(repeating: KeyHash.hash("a.example/a"), count: 2))
    #expect(all.allSatisfy { $0.size == 512 && $0.isSizeKnown && $0.cost == 12 })
  }

  @Test func envoyRequestWithoutUpstreamHasNoCost() throws {
    let line = #"\#(Self.time) \#(Self.request) - 0 512 31 - "-" "ua" "id" "-" "-""#
    let record = try #require(try records([line]).first)
    #expect(record.key == KeyHash.hash("/a") && record.cost == TraceRecord.unknownCost)
  }

  private static let rest = #"[01/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 10 "-" "ua""#

  @Test(arguments: [
    ("[steam#] 192.0.2.1 / - - -", "steam#"), ("[steam#] ::1 / 10.0.0.1 - -", "steam#"),
    ("[www#.example.org] 192.0.2.1 - -", "www#.example.org"),
    ("[2001:db8::#]:443 192.0.2.1 - -", "[2001:db8::#]:443"),
    ("[2001:db8::#] 2001:db8::9 - -", "[2001:db8::#]"),
    ("203.0.113.#:8443 192.0.2.1 - -", "203.0.113.#:8443"),
  ])
  func serverInFrontIsPartOfTheKey(_ head: String, _ host: String) throws {
    let all = try records((0..<60).map { "\(head.numbered($0 % 3)) \(Self.rest)" })
    #expect(Set(all.map(\.key)) == Set((0..<3).map { KeyHash.hash("\(host.numbered($0))/a") }))
  }

  @Test(arguments: ["[info] 192.0.2.1 - -", "[pod/web-#/nginx] 192.0.2.1 - -"])
  func otherNamesInBracketsAreALoggers(_ head: String) throws {
    let all = try records((0..<60).map { "\(head.numbered($0 % 3)) \(Self.rest)" })
    #expect(Set(all.map(\.key)) == [KeyHash.hash("/a")])
  }

  @Test func addressOfAServerInJSONIsTheHost() throws {
    let hosts = ["[2001:db8::1]:443", "[2001:db8::2]", "192.0.2.1:80"]
    let all = try records(
      hosts.map { #"{"host":"\#($0)","uri":"/a","status":200}"# }, "a.jsonl")
    #expect(all.map(\.key) == hosts.map { KeyHash.hash($0 + "/a") })
    let clients = try records(
      ["192.0.2.1", "192.0.2.2"].map { #"{"host":"\#($0)","uri":"/a","status":200}"# }, "a.jsonl")
    #expect(Set(clients.map(\.key)) == [KeyHash.hash("/a")])
  }

  @Test func hostInAWholeURLIsCaseInsensitive() throws {
    let lines = ["HTTP://A.Example/P?Q", "http://a.example/P?Q", "http://a.example/p?Q"].map {
      #"192.0.2.1 - - [01/Mar/2026:10:00:00 +0000] "GET \#($0) HTTP/1.1" 200 10"#
    }
    let keys = try records(lines).map(\.key)
    #expect(keys[0] == KeyHash.hash("http://a.example/P?Q") && keys[1] == keys[0])
    #expect(keys[2] != keys[0])
  }

  /// A cache's own log means the same in JSON as in a table.
  @Test(arguments: [["get", "SET", "delete", "get"], ["0", "1", "2", "0"]])
  func ownLogInJSONMeansTheSameAsATable(_ words: [String]) throws {
    let rows = (0..<80).map { (words[$0 % 4], "u\($0 % 7)", $0 % 2 * 60) }
    let table = try records(
      ["ts,op,key,size,ttl"] + rows.map { "1772359200,\($0),\($1),100,\($2)" }, "a.csv")
    let json = try records(
      rows.map {
        #"{"ts":1772359200,"op":"\#($0)","key":"\#($1)","size":100,"ttl":\#($2),"host":"web1"}"#
      }, "a.jsonl")
    #expect(json.map(\.key) == table.map(\.key) && json.map(\.ttl) == table.map(\.ttl))
    #expect(json.map(\.operation) == table.map(\.operation))
    #expect(json.map(\.size) == table.map(\.size))
    // Numbers are not guessed.
    #expect(Set(json.map(\.operation)).count == (words[0] == "0" ? 1 : 3))
  }

  @Test func numbersAreOperationsInJSONIfTheKeyIsGiven() throws {
    let lines = (0..<3).map { #"{"kind":\#($0),"key":"a","size":1}"# }
    #expect(try records(lines, "a.jsonl", "json-lines:op=kind").map(\.operation) == [0, 1, 2])
  }

  @Test func unknownOperationInJSONIsSkipped() throws {
    let trace = try load(
      ["get", "get", "touch"].map { #"{"op":"\#($0)","key":"a","size":1}"# }, "a.jsonl")
    #expect(trace.requests.count == 2)
    #expect(trace.notes.contains("1 line was skipped: unknown operation 'touch'."))
  }

  @Test func operationOfAWebLogInJSONIsItsMethod() throws {
    let lines = ["GET", "POST"].map {
      #"{"op":"get","method":"\#($0)","url":"/a","status":200,"bytes":1}"#
    }
    #expect(try records(lines, "a.jsonl").map(\.operation) == [0, Operation.bypass.rawValue])
  }

  /// Rows whose id is a primary key, and whose object repeats.
  @Test(arguments: [
    ("id,time,url,size", "#,1772359200,/o%,10"), ("id,url", "#,/o%"), ("key,object", "#,o%"),
    (",id,time,key,size", "#,#,1772359200,k%,10"), ("request_id,id,path", "#,r#,/o%"),
  ])
  func uniqueIDIsNotTheObjectOfATable(_ header: String, _ row: String) throws {
    let rows = (0..<40).map {
      row.numbered($0).replacing("%", with: "\($0 % 9)")
    }
    for delimiter in [",", "\t"] {
      let trace = try load(
        ([header] + rows).map { $0.replacing(",", with: delimiter) },
        delimiter == "," ? "a.csv" : "a.tsv")
      #expect(trace.requests.objects == 9, "\(header)")
      #expect(trace.notes.contains { $0.contains("does not repeat in the first 40 lines") })
    }
    #expect(try load([header] + rows, "a.csv", "csv:id=1").requests.objects == 40)
  }

  @Test func uniqueIDIsKeptIfNothingRepeats() throws {
    let trace = try load(["id,url"] + (0..<40).map { "\($0),/o\($0)" }, "a.csv")
    #expect(trace.requests.objects == 40)
    #expect(trace.notes == ["Columns: id is the id; not used: url."])
    // A path without its query is another object.
    let urls = try load(["url,path"] + (0..<40).map { "/a?\($0),/a\($0 % 2)" }, "a.csv")
    #expect(urls.requests.objects == 40)
  }

  @Test func idThatDoesNotRepeatIsDoubted() throws {
    let table = try load(["id,page_url"] + (0..<120).map { "\($0),/\($0 % 9)" }, "a.csv").notes
    #expect(table.contains { $0.hasPrefix("id does not repeat in the first 120 lines: if it is") })
    let json = try load((0..<120).map { #"{"id":\#($0),"page":"p","size":1}"# }, "a.jsonl").notes
    #expect(json.contains { $0.contains("id does not repeat in the first 120 lines: if it is") })
    for rows in [(0..<120).map { "\($0 % 60),1" }, (0..<120).map { "\($0),1" }] {
      #expect(try load(["id,size"] + rows, "a.csv").notes.isEmpty)
    }
  }

  @Test(arguments: [("id", "object_id"), ("id", "key"), ("key", "object"), ("object", "cache_key")])
  func uniqueIDIsNotTheObjectInJSON(_ unique: String, _ object: String) throws {
    let lines = (0..<40).map { #"{"\#(unique)":"r\#($0)","\#(object)":"o\#($0 % 9)","size":1}"# }
    let trace = try load(lines, "a.jsonl")
    #expect(trace.requests.objects == 9)
    #expect(trace.notes.contains { $0.contains("\(object) is the id") })
    let given = try load(lines, "a.jsonl", "json-lines:id=\(unique)")
    #expect(given.requests.objects == 40)
  }

  @Test(arguments: ["PURGE", "BAN", "FASTLYPURGE"])
  func purgesAreNoRequestsAndRemoveWithInvalidate(_ method: String) throws {
    let lines = ["GET /a", "\(method) /a", "GET /a", "\(method) /b"].enumerated().map {
      "192.0.2.1 - - [01/Mar/2026:10:00:00 +0000] \"\($1) HTTP/1.1\" \($0 < 3 ? 200 : 404) 1\($0)"
    }
    #expect(try records(lines).map(\.operation) == [0, 0])
    #expect(try load(lines).notes.contains { $0.hasPrefix("2 lines were skipped: purges") })
    let all = try records(lines, "a", "combined:writes=invalidate")
    #expect(all.map(\.operation) == [0, Operation.delete.rawValue, 0])
    #expect(all[1].key == all[0].key && !all[1].isSizeKnown)
    #expect(try records(lines, "a", "combined:writes=skip").count == 2)
  }

  @Test func sizesAbove4GiBAreCappedAndCounted() throws {
    let log = #"192.0.2.1 - - [01/Mar/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 5000000000"#
    let note = "1 line: a size of 4,294,967,295 bytes, the largest one, or more."
    for (lines, name) in [
      ([log], "a.log"), (["id,size", "1,5000000000"], "a.csv"), (["id,size", "1,5e9"], "a.csv"),
      ([#"{"url":"/a","status":200,"bytes":5000000000}"#], "a.jsonl"),
    ] {
      let trace = try load(lines, name)
      #expect(trace.footprintBytes == 4_294_967_295, "\(name)")
      #expect(trace.notes.contains(note))
    }
  }

  @Test(arguments: ["k#", "time,key\n1,k#", #"{"url":"k#","status":200}"#])
  func marksAndHeadersOfConcatenatedFilesAreSkipped(_ text: String) throws {
    let folder = try TestFolder()
    let name = text.contains("{") ? "a.jsonl" : text.contains(",") ? "a.csv" : "a.txt"
    let parts = (0..<40).map { "\u{FEFF}\(text.numbered($0 % 9))\r\n" }
    let path = try folder.write(parts.joined(), to: name)
    let trace = try PreparedTrace.load(path: path)
    #expect(trace.requests.count == 40 && trace.requests.objects == 9)
    #expect(trace.reading.badLines == 0)
  }
}
