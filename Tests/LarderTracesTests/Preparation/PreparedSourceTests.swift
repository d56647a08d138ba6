import LarderEngine
import Testing

@testable import LarderTraces

/// A prepared trace can be a source again.
@Suite
struct PreparedSourceTests {
  @Test func recordsEqualTheTraceWithDenseKeys() throws {
    let records = (0..<5000).map { index in
      TraceRecord(
        key: UInt64(index % 100), time: UInt64(index), size: UInt32(index), ttl: 7, cost: 0.5,
        operation: .set)
    }
    let all: TraceColumns = [.size, .time, .operation, .ttl, .cost]
    let trace = try PreparedTrace.prepare(
      source: RecordList(list: records, columns: all), name: "x")
    let source = PreparedSource(trace)
    #expect(source.columns == all && source.keyLimit == 101)
    let expected = records.map { record in
      var dense = record
      dense.key += 1
      return dense
    }
    #expect(try allRecords(source) == expected)
    let again = try PreparedTrace.prepare(source: source, name: "y")
    #expect(try allRecords(PreparedSource(again)) == expected)
  }

  @Test func stopsWhenTheSinkHasEnough() throws {
    let trace = try PreparedTrace.prepare(
      source: RecordList(list: [TraceRecord](repeating: TraceRecord(key: 1), count: 10_000)),
      name: "x")
    var calls = 0
    try PreparedSource(trace).records { _ in
      calls += 1
      return calls < 2
    }
    #expect(calls == 2)
  }
}
