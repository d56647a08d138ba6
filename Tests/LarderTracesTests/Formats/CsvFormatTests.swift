import LarderEngine
import Testing

@testable import LarderTraces

/// Common tables, and the errors for invalid ones.
@Suite
struct CsvFormatTests {
  private func records(_ text: String, _ spec: String = "csv") throws -> [TraceRecord] {
    try readRecords(text.utf8, "table.csv", spec)
  }

  private func problem(_ text: String, _ spec: String = "csv") -> String {
    message { _ = try records(text, spec) }
  }

  @Test func columnsByNumber() throws {
    let all = try records("5,77,1000\n6,78,2000\n", "csv:time=1:id=2:size=3")
    #expect(
      all == [
        TraceRecord(key: 77, time: 5_000_000, size: 1000),
        TraceRecord(key: 78, time: 6_000_000, size: 2000),
      ])
  }

  @Test func columnsByNameInAnyOrderAndCase() throws {
    let all = try records("Size,URL,When\n10,/a,1\n20,/b,2\n", "csv:id=url:time=when:size=SIZE")
    #expect(all.map(\.key) == [KeyHash.hash("/a"), KeyHash.hash("/b")])
    #expect(all.map(\.size) == [10, 20])
    #expect(all.map(\.time) == [1_000_000, 2_000_000])
  }

  @Test(
    arguments: [
      ("", [.time, .size, .operation]), (":id=id", [.time, .size, .operation]),
      (":id=time", [.size, .operation]), (":id=2:op=-:time=-", [.size]),
    ] as [(String, TraceColumns)])
  func columnsThatAreNotGivenAreFoundByName(_ options: String, _ columns: TraceColumns) throws {
    let folder = try TestFolder()
    let path = try folder.write("time,id,size,op\n1,2,3,set\n", to: "table.csv")
    let source = try FileSource(path: path, format: ComponentSpec(parsing: "csv\(options)"))
    #expect(source.columns == columns)
  }

  @Test(arguments: [
    ("1\t2\t3\n", "csv:id=2"), ("1;2;3\n", "csv:id=2"), ("1|2|3\n", "csv:id=2"),
    ("1 2 3\n", "csv:id=2"), ("1   2 3\n", "csv:id=2"), ("1:2:3\n", "csv:id=2:delimiter=colon"),
    ("1#2#3\n", "csv:id=2:delimiter=#"), ("1, 2, 3\n", "csv:id=2"), ("1,\"2\",3\n", "csv:id=2"),
  ])
  func delimiters(_ text: String, _ spec: String) throws {
    #expect(try records(text, spec).map(\.key) == [2])
  }

  @Test func quotesKeepDelimitersAndDoubledQuotesInAnID() throws {
    let all = try records("id,size\n\"a,b\",1\n\"say \"\"x\"\"\",2\n\"a,b\" ,3\n")
    #expect(all[0].key == KeyHash.hash("a,b"))
    #expect(all[1].key == KeyHash.hash("say \"\"x\"\""))
    #expect(all[2].key == all[0].key)
    #expect(all.map(\.size) == [1, 2, 3])
  }

  @Test func headersAreRecognisedOrGiven() throws {
    #expect(try records("key\nfoo\nbar\n").count == 2)
    #expect(try records("1,2\n3,4\n", "csv:id=1").count == 2)
    #expect(try records("name,n\nx,4\n", "csv:id=1").count == 1)
    #expect(try records("name,n\nx,4\n", "csv:id=1:header=false").count == 2)
    #expect(try records("1,2\n3,4\n", "csv:id=1:header=true").count == 1)
    #expect(try records("foo\nbar\n", "csv:id=1").count == 2)
  }

  @Test func byteOrderMarksAndBlankLinesAreSkipped() throws {
    let all = try records("\u{FEFF}time,id\r\n1,5\r\n\r\n2,6\r\n\n")
    #expect(all.map(\.key) == [5, 6])
    #expect(try records("\u{FEFF}5,1\n", "csv:id=1").map(\.key) == [5])
    #expect(try records("\u{FEFF}\n5,1\n", "csv:id=1").map(\.key) == [5])
  }

  @Test func lastLineWithoutEndIsRead() throws {
    #expect(try records("id\n5\n6").map(\.key) == [5, 6])
  }

  @Test(arguments: [
    ("1.25", "s", UInt64(1_250_000)), ("1.2345678", "s", 1_234_567), ("7", "s", 7_000_000),
    ("1.2345", "ms", 1234), ("7", "us", 7), ("7.9", "us", 7), ("12345", "ns", 12),
    ("18446744073709.551615", "s", .max),
  ])
  func timesAreExactMicroseconds(_ text: String, unit: String, expected: UInt64) throws {
    let all = try records("\(text),1\n", "csv:time=1:id=2:time-unit=\(unit)")
    #expect(all.map(\.time) == [expected])
  }

  @Test(arguments: [
    ("time,id\nx,1\n", "csv", ":2: expected a time as a number (unit s), found 'x'"),
    ("time,id\n-4,1\n", "csv", ":2: the time '-4' is negative"),
    ("time,id\n18446744073709.551616,1\n", "csv:time-unit=s", ":2: expected a time"),
    ("time,id\n1.,1\n", "csv", ":2: expected a time"),
    ("time,id\n,1\n", "csv", ":2: expected a time"),
    ("id,size\n1,-5\n", "csv", ":2: the size '-5' is negative"),
    ("id,size\n1,99999999999999999999999\n", "csv", "is above 4294967295 bytes"),
    ("id,size\n1,12.5\n", "csv", ":2: expected a size in bytes as a whole number, found '12.5'"),
    ("id,size\n,3\n", "csv", ":2: the id is empty"),
    ("id,ttl\n4,soon\n", "csv", ":2: expected a TTL in whole seconds, found 'soon'"),
    (
      "id,op\n4,POST\n", "csv:id=id:op=op:others=error",
      ":2: expected an operation such as get, set or delete, found 'POST'"
    ),
    ("id,cost\n4,-1\n", "csv", ":2: expected a cost of at least 0, found '-1'"),
    ("id,cost\n4,inf\n", "csv", ":2: expected a cost"),
    ("id,size\n1,2\n1\n", "csv", ":3: expected 2 fields, found 1"),
    ("id,size\n1,2,3\n", "csv", ":2: expected 2 fields, found 3"),
    ("id,size\n\"a,2\n", "csv", ":2: unclosed quote"),
    ("id,size\n\"a\"b,2\n", "csv", ":2: unclosed quote, or no delimiter"),
    ("1,2,3\n", "csv", ":1: which of the 3 columns is the object's id?"),
    ("a,b\n1,2\n", "csv", ":1: which column is the object's id? the header has a, b"),
    ("1,2,3\n", "csv:id=4", "csv: id: expected a column from 1 to 3, the number of fields"),
    ("1,2,3\n", "csv:id=0", "csv: id: expected a column from 1 to 3"),
    ("a,b\n1,2\n", "csv:id=c", "csv: id: expected a number or one of a, b, found 'c'"),
    ("1,2\n", "csv:id=c", "csv: id: expected a column number, because line 1 is not a header"),
    ("1,2\n", "csv:id=1:delimiter=ab", "csv: delimiter: expected a character, or comma"),
    ("1,2\n", "csv:id=1:time-unit=h", "csv: time-unit: expected one of s, ms, us, ns, found 'h'"),
    ("1,2\n", "csv:id=1:header=maybe", "csv: header: expected true or false, found 'maybe'"),
    ("\n\n", "csv:id=1", ":1: no line in the first 65536 bytes"),
  ])
  func errorsAreOneLine(_ text: String, _ spec: String, _ expected: String) {
    let problem = problem(text, spec)
    #expect(problem.contains(expected), "\(problem)")
    #expect(!problem.contains("\n"))
  }

  @Test func operationsOfOtherProgramsAreMapped() throws {
    let text = "id,op\n1,GET\n2,PUT\n3,post\n4,DELETE\n5,read\n6,cas\n"
    let spec = "csv:id=id:op=op"
    #expect(try records(text, spec).map(\.operation) == [0, 1, 2, 0, 1])
    #expect(try records(text, spec + ":others=bypass").map(\.operation) == [0, 1, 4, 2, 0, 1])
    let folder = try TestFolder()
    let trace = try PreparedTrace.load(
      path: folder.write(text, to: "t.csv"), format: ComponentSpec(parsing: spec))
    #expect(trace.notes == ["1 line was skipped: unknown operation 'post'."])
  }

  @Test(arguments: [("GET", [0, 1, 2]), ("Get", [0, 1, 2]), ("0", nil), ("read", [0, 1, 2])])
  func operationColumnIsFoundByValues(_ first: String, _ found: [UInt8]?) throws {
    let all = try records("id,op\n1,\(first)\n2,SET\n3,Delete\n", "csv")
    #expect(all.map(\.operation) == found ?? [0, 0, 0])
  }

  @Test func datesAreParsedAsTimes() throws {
    let all = try records(
      "time,id\n[01/Mar/2026:10:00:00 +0100],1\n2026-03-01T09:00:00.5Z,2\n", "csv")
    #expect(all.map(\.time) == [1_772_355_600_000_000, 1_772_355_600_500_000])
  }

  @Test func anEmptySizeIsUnknown() throws {
    let all = try records("id,size\n1,\n1,5\n")
    #expect(all.map(\.isSizeKnown) == [false, true])
  }

  @Test func sizesOfBlocksAreLengthsOfRequests() throws {
    let folder = try TestFolder()
    let blocks = try folder.write("lbn,size\n1,512\n1,4096\n", to: "blocks.csv")
    let urls = try folder.write("url,size\n1,512\n1,4096\n", to: "urls.csv")
    #expect(try FileSource(path: blocks).sizeRule == .logged)
    #expect(try FileSource(path: urls).sizeRule == .lastFull)
    let kept = try ComponentSpec(parsing: "csv:sizes=logged")
    #expect(try FileSource(path: urls, format: kept).sizeRule == .logged)
  }

  @Test func raggedLinesAreCounted() throws {
    let folder = try TestFolder()
    let rows = (1...300).map { "\($0),5\n" }.joined()
    let path = try folder.write("id,size\n" + rows + "7\n8,9,10\n", to: "ragged.csv")
    let trace = try PreparedTrace.load(path: path)
    #expect(trace.requests.count == 300 && trace.reading.badLines == 2)
    #expect(trace.notes[0].contains("2 of 303 lines could not be read"), "\(trace.notes)")
    #expect(trace.notes[0].contains(":302: expected 2 fields"))
    let strict = TraceReference(path: path, maxBadShare: 0)
    let text = message { _ = try PreparedTrace.load(strict) }
    #expect(text.contains(":302: expected 2 fields") && text.contains("and none may"), "\(text)")
  }

  @Test func emptyTTLMeansNone() throws {
    #expect(try records("id,ttl\n1,\n2,60\n").map(\.ttl) == [0, 60])
  }

  @Test func unknownOperationCodesAreNotGuessed() throws {
    let folder = try TestFolder()
    let theirs = try folder.write("id,op\n1,2a\n", to: "theirs.csv")
    #expect(try FileSource(path: theirs).columns == [])
    let ours = try folder.write("id,op\n1,get\n2,delete\n", to: "ours.csv")
    #expect(try FileSource(path: ours).columns == [.operation])
  }

  @Test func headerAloneHasNoRequests() throws {
    let folder = try TestFolder()
    let path = try folder.write("time,id\n", to: "header.csv")
    #expect(message { _ = try PreparedTrace.load(path: path) }.contains("has no requests"))
  }
}
