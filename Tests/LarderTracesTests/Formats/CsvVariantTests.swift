import LarderEngine
import Testing

@testable import LarderTraces

/// Tables as other programs write them.
@Suite
struct CsvVariantTests {
  private func source(_ text: String, _ spec: String = "csv") throws -> (FileSource, TestFolder) {
    let folder = try TestFolder()
    let path = try folder.write(text, to: "table.csv")
    return (try FileSource(path: path, format: ComponentSpec(parsing: spec)), folder)
  }

  private func records(_ text: String, _ spec: String = "csv") throws -> [TraceRecord] {
    try readRecords(text.utf8, "table.csv", spec)
  }

  private func trace(_ text: String, _ spec: String = "csv") throws -> PreparedTrace {
    try readTrace(text.utf8, "table.csv", spec)
  }

  @Test(arguments: [
    ("1772359200,7", "s", UInt64(1_772_359_200_000_000)),
    ("1772359200123,7", "ms", 1_772_359_200_123_000),
    ("1772359200123.5,7", "ms", 1_772_359_200_123_500),
    ("1772359200123456,7", "us", 1_772_359_200_123_456),
    ("1772359200123456789,7", "ns", 1_772_359_200_123_456),
    ("1.7723592e+12,7", "ms", 1_772_359_200_000_000),
  ])
  func unitOfLongTimesIsInferred(_ row: String, _ unit: String, _ time: UInt64) throws {
    let (source, folder) = try source("time,id\n\(row)\n")
    #expect(try withExtendedLifetime(folder) { try allRecords(source) }.map(\.time) == [time])
    #expect(source.reading.remarks.contains { $0.contains("as \(unit),") } == (unit != "s"))
    let given = try records("time,id\n\(row)\n", "csv:time-unit=us")
    #expect(given.map(\.time) != [time] || unit == "us")
  }

  @Test(arguments: [
    ("timestamp_ms", UInt64(5_000)), ("Time (us)", 5), ("ts-ns", 0), ("time_s", 5_000_000),
    ("Timestamp", 5_000_000), ("# time", 5_000_000),
  ])
  func unitsInColumnNamesAreUsed(_ name: String, _ time: UInt64) throws {
    #expect(try records("\(name),id\n5,7\n").map(\.time) == [time])
  }

  @Test(arguments: [
    ("time, obj-id, obj-size"), ("# time, object_id, Response Size"), ("#Timestamp,Key,value_size"),
    ("TS,cacheKey,Content-Length"), ("time,URL,Bytes Sent"), ("t,obj id,size (bytes)"),
  ])
  func namesAreComparedWithoutCaseBlanksAndMarks(_ header: String) throws {
    let all = try records("\(header)\n1,7,100\n2,8,200\n")
    #expect(
      all == [
        TraceRecord(key: 7, time: 1_000_000, size: 100),
        TraceRecord(key: 8, time: 2_000_000, size: 200),
      ])
  }

  @Test func unusedColumnsAreReported() throws {
    let notes = try trace("time,obj-id,country,obj-size,agent\n1,2,DE,3,x\n").notes
    #expect(
      notes.first == """
        Columns: obj-id is the id, time is the time (s, where it is a number), obj-size is the \
        size; not used: country, agent.
        """)
    #expect(try trace("time,id,size\n1,2,3\n").notes == [])
    // As pandas writes a table with its index.
    let indexed = try trace(",time,id,size\n0,1,2,3\n").notes
    #expect(indexed.first?.hasSuffix("size is the size; not used: column 1.") == true)
  }

  @Test(arguments: [
    ("1000.0", UInt32(1000)), ("1.77e+09", 1_770_000_000), ("1E3", 1000), ("5.", nil), ("0.0", 0),
    ("1.5e1", 15), ("15e-1", nil), ("150e-1", 15), ("4294967295.000", .max), ("4294967296.0", .max),
    ("1e400", nil), ("0e999", 0), ("1e99999999999999999999", nil), ("12.5", nil),
    ("1.00000000000000000000000000000", 1),
  ])
  func sizesMayBeFloatingPointWithoutAFraction(_ text: String, _ size: UInt32?) {
    var sizes: [UInt32] = []
    let problem = message { sizes = try records("id,size\n1,\(text)\n").map(\.size) }
    #expect(problem.isEmpty == (size != nil), "\(problem)")
    #expect(sizes == (size.map { [$0] } ?? []))
  }

  @Test(arguments: ["", "NaN", "nan", "NULL", "None", "NA", "N/A", "<NA>", "-"])
  func missingValuesAreUnknown(_ text: String) throws {
    let all = try records("id,size,cost,ttl\n1,\(text),\(text),\(text)\n")
    #expect(all.map(\.isSizeKnown) == [false])
    #expect(all.map(\.cost) == [TraceRecord.unknownCost] && all.map(\.ttl) == [0])
  }

  @Test func idsCombineSeveralColumns() throws {
    let rows = "1,23,a\n12,3,a\n1,23,b\n"
    let all = try records(rows, "csv:id=1+2")
    #expect(Set(all.map(\.key)).count == 2 && all.count == 3)
    #expect(all[0].key == all[2].key)
    let named = try records("device,offset,x\n1,23,a\n12,3,a\n", "csv:id=device+offset")
    #expect(named.map(\.key) == all.prefix(2).map(\.key))
    #expect(message { _ = try records("123,,c\n", "csv:id=1+2") }.contains("the id is empty"))
    #expect(message { _ = try records(rows, "csv:id=1+9") }.contains("a column from 1 to 3"))
    #expect(message { _ = try records(rows, "csv:id=1+") }.contains("csv: id: expected"))
  }

  @Test func addressesArePerDevice() throws {
    let (source, folder) = try source(
      "timestamp,disk,lbn,size\n1,1,23,512\n2,12,3,512\n3,1,3,512\n")
    let keys = try withExtendedLifetime(folder) { try allRecords(source) }.map(\.key)
    #expect(Set(keys).count == 3)
    #expect(source.understanding[0].hasPrefix("disk and lbn is the id"))
  }

  @Test(arguments: [
    ("csv:id=2:op=1", "R,1\nW,1\nr,1\nw,1\n", [UInt8(0), 0, 0, 0]),
    ("csv:id=2:op=1:ops=W:set", "R,1\nW,1\nr,1\nw,1\n", [0, 1, 0, 1]),
    ("csv:id=2:op=1:ops=1:get:0:set", "1,5\n0,5\n", [0, 1]),
    ("csv:ops=1:get:0:set:id=2:op=1", "1,5\n0,5\n", [0, 1]),
    ("csv:id=2:op=1:ops='1:get:0:set'", "1,5\n0,5\n", [0, 1]),
    ("csv:id=2:op=1:ops=1=get,0=set", "1,5\n0,5\n", [0, 1]),
    ("csv:id=2:op=1:ops=x:skip:y:delete", "x,5\ny,5\nget,5\n", [2, 0]),
    ("csv:id=2:op=1", "0,5\n1,5\n2,5\n", [0, 1, 2]),
    (
      "csv:id=2:op=1:delimiter=space",
      "REST.GET.OBJECT 5\nREST.HEAD.OBJECT 5\nREST.PUT.OBJECT 5\nREST.DELETE.OBJECT 5\n",
      [0, 0, 1, 2]
    ),
  ])
  func operationsAreMapped(_ spec: String, _ text: String, _ operations: [UInt8]) throws {
    #expect(try records(text, spec).map(\.operation) == operations)
  }

  @Test(arguments: ["1", "1:get:0", "1:fly", "1:get:1:set", ":get", ""])
  func pairsOfOperationsAreChecked(_ ops: String) {
    let text = message { _ = try records("1,5\n", "csv:id=2:op=1:ops=\(ops)") }
    #expect(text.contains("csv: ops: expected words and operations"), "\(text)")
  }

  @Test func guessedOperationsAreReported() throws {
    #expect(
      try trace("id,op\n1,get\n2,2a\n").notes.contains { $0.contains("unknown operation '2a'") })
    #expect(try trace("id,rw\n1,0\n2,1\n", "csv").notes.contains { $0.contains("0, 1 and 2") })
    let letters = try trace("id,op,size\n1,R,5\n2,W,5\n").notes
    #expect(letters.contains { $0.contains("ops=R:get:W:set") })
    #expect(letters.contains(BlockRun.note))
  }

  @Test func linesOfOtherLengthsAreRead() throws {
    let rows = (1...20).map { $0 % 4 == 0 ? "\($0) DEL 7" : "\($0) GET 7 100 0 99" }
    let text = rows.map { $0 + "\n" }.joined()
    let spec = "csv:time=1:op=2:id=3:size=4:delimiter=space"
    let trace = try trace(text, spec)
    #expect(trace.requests.count == 20 && trace.reading.badLines == 0)
    #expect(trace.notes.contains { $0.hasPrefix("Lines have 3 to 6 fields") })
    #expect(message { _ = try records(text, spec + ":ragged=false") }.contains("expected 6 fields"))
    // Lengths come in any order, and the columns are those of the longest line.
    let reversed = rows.reversed().map { $0 + "\n" }.joined()
    #expect(try records(reversed, spec).count == 20)
    let headed = try records("id,size\n1,5\n2\n3,4,5\n", "csv:ragged=true")
    #expect(headed.map(\.isSizeKnown) == [true, false, true])
    #expect(
      message { _ = try records("id,size\n1,5\n2\n") }.contains("ragged=true reads lines with"))
  }

  @Test func commentsAreSkipped() throws {
    let text = "# made by x\n# at 10:00\ntime,id\n1,5\n# half\n2,6\n"
    #expect(try records(text).map(\.key) == [5, 6])
    #expect(try trace(text).notes == ["1 line was skipped: comments."])
    #expect(try records("#a,1\n#b,2\n", "csv:id=1:size=2").count == 2, "texts begin with #")
    #expect(try records("#a,1\nc,2\n", "csv:id=1:size=2").count == 2)
    #expect(try records("% x\nid\n5\n", "csv:comment=%").map(\.key) == [5])
    #expect(try records("id\n5\n#6\n", "csv:comment=#").map(\.key) == [5])
    #expect(message { _ = try records("# x\n#y\n", "csv:comment=#") }.contains("are comments"))
    #expect(message { _ = try records("# x\nid\n5\n", "csv:comment=none:id=id") } != "")
  }

  @Test func requestsOfSeveralBlocksAreSplit() throws {
    let text = "time,device,op,offset,size\n1,3,R,4096,8192\n2,3,R,8192,100\n3,4,R,8192,4096\n"
    let whole = try records(text)
    #expect(whole.map(\.size) == [8192, 100, 4096])
    let split = try records(text, "csv:id=device+offset:op=op:size=size:block=4096")
    #expect(split.map(\.size) == [4096, 4096, 4096, 4096])
    #expect(split[1].key == split[2].key && split[3].key != split[2].key)
    // Sectors by name, or as given.
    let sectors = try records("lbn,size\n8,4096\n9,4096\n", "csv:id=lbn:size=size:block=4096")
    #expect(sectors.map(\.key).count == 3)
    #expect(try records("8,4096\n", "csv:id=1:size=2:block=4096:sector=512").count == 1)
    #expect(try records("8,4096\n", "csv:id=1:size=2:block=4096").count == 2)
    for wrong in ["block=0", "block=x", "sector=0"] {
      #expect(message { _ = try records(text, "csv:\(wrong)") }.contains("expected a size from 1"))
    }
    #expect(message { _ = try records("x,5\n", "csv:id=1:size=2:block=512") }.contains("address"))
  }

  @Test func promptsWithoutIDsAreReported() {
    let text = message {
      _ = try records("Timestamp,Model,Request tokens,Response tokens\n5,ChatGPT,472,18\n")
    }
    #expect(text.contains("lengths of prompts and no ids"))
  }
}
