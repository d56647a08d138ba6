import LarderEngine
import Testing

@testable import LarderTraces

/// Written traces are read back unchanged.
@Suite
struct TraceWriterTests {
  private func random(_ count: Int, _ columns: TraceColumns) throws -> PreparedTrace {
    var random = SeededRandom(state: UInt64(columns.rawValue))
    var time: UInt64 = 1_700_000_000_000_000
    var prompts = (0..<UInt32(count)).lazy.map { $0 % 3 == 0 ? $0 + 2 : 0 }.makeIterator()
    let records = (0..<count).map { _ in
      time += random.next() % 3_000_000
      let prompt = columns.contains(.prompt) ? prompts.next() ?? 0 : 0
      return TraceRecord(
        key: random.next() % 900, time: time, size: UInt32(truncatingIfNeeded: random.next()),
        ttl: UInt32(truncatingIfNeeded: random.next()), cost: Float(random.next() % 999) / 8,
        operation: Operation(rawValue: UInt8(random.next() % 4)) ?? .get, prompt: prompt)
    }
    return try PreparedTrace.prepare(
      source: RecordList(list: records, columns: columns), name: "random trace")
  }

  @Test(arguments: [0, 1, 2, 3, 5, 12, 31, 32, 63] as [UInt8])
  func larderAndCsvKeepEverything(_ bits: UInt8) throws {
    let folder = try TestFolder()
    let trace = try random(20_000, TraceColumns(rawValue: bits))
    let expected = try allRecords(PreparedSource(trace))
    for writer in TraceWriter.all where writer.columns.rawValue >= max(bits, 31) {
      let path = folder.path("trace.\(writer.name)")
      try writer.write(trace, to: path)
      let again = try PreparedTrace.load(path: path)
      #expect(again.columns == trace.columns, "\(writer.name)")
      #expect(again.footprintBytes == trace.footprintBytes)
      #expect(try allRecords(PreparedSource(again)) == expected, "\(writer.name)")
    }
    #expect(try PreparedTrace.load(path: folder.path("trace.larder")).name == "random trace")
    #expect(
      folder.names == (bits < 32 ? ["trace.csv"] : []) + ["trace.larder"], "nothing else is left")
  }

  @Test func oracleGeneralEqualsLibCacheSim() throws {
    let folder = try TestFolder()
    let original = try folder.write(SampleTrace.oracleGeneral.bytes, to: "a.oracleGeneral")
    let trace = try PreparedTrace.load(path: original)
    let path = folder.path("b.oracleGeneral")
    try TraceWriter.oracleGeneral.write(trace, to: path)
    let bytes = try FileBytes(path: path).peek(1 << 16)
    // Everything except the ids, which are dense now.
    let size = BinaryFormat.oracleGeneralSize
    #expect(bytes.count == SampleTrace.oracleGeneral.bytes.count)
    for index in bytes.indices where !(4..<12).contains(index % size) {
      #expect(bytes[index] == SampleTrace.oracleGeneral.bytes[index], "\(index)")
    }
  }

  @Test func oracleGeneralRejectsUnsupportedTraces() throws {
    let folder = try TestFolder()
    let path = folder.path("x.oracleGeneral")
    func problem(_ record: TraceRecord, _ columns: TraceColumns) -> String {
      message {
        let source = RecordList(list: [TraceRecord(key: 1), record], columns: columns)
        let trace = try PreparedTrace.prepare(source: source, name: "t")
        try TraceWriter.oracleGeneral.write(trace, to: path)
      }
    }
    #expect(
      problem(TraceRecord(key: 1, operation: .delete), .operation)
        .contains("request 2 is not a get"))
    #expect(problem(TraceRecord(key: 1, time: 1 << 60), .time).contains("exceed 2^32-1 seconds"))
    #expect(folder.names == [])
    #expect(problem(TraceRecord(key: 1), .operation) == "")
  }

  @Test func timesInCsvHaveAsManyDecimalsAsNeeded() throws {
    let folder = try TestFolder()
    let path = folder.path("x.csv")
    let times: [UInt64] = [1_000_001, 2_500_000, 3_000_000]
    let source = RecordList(list: times.map { TraceRecord(key: $0, time: $0) }, columns: .time)
    try TraceWriter.csv.write(PreparedTrace.prepare(source: source, name: "t"), to: path)
    let text = String(decoding: try FileBytes(path: path).peek(1000), as: UTF8.self)
    #expect(text == "time,id\n1.000001,1\n2.5,2\n3,3\n")
  }

  @Test func writersAreFoundByNameAndEnding() throws {
    for writer in TraceWriter.all {
      #expect(try TraceWriter.named(writer.name).name == writer.name)
      #expect(FormatRegistry.names.contains(writer.name), "it can be read again")
    }
    #expect(TraceWriter.forPath("a/b.CSV")?.name == "csv")
    #expect(TraceWriter.forPath("b.larder")?.name == "larder")
    #expect(TraceWriter.forPath("b.oracleGeneral")?.name == "oracle-general")
    #expect(TraceWriter.forPath("b.lis") == nil)
    #expect(
      message { _ = try TraceWriter.named("arc") }.contains("one of larder"))
  }
}
