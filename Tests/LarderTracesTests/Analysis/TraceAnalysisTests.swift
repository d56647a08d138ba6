import LarderEngine
import Testing

@testable import LarderTraces

/// Statistics of traces, computed by hand and against slow and simple code.
@Suite
struct TraceAnalysisTests {
  @Test func workedByHand() throws {
    // Object 1 three times, 2 twice, 3 and 4 once: 7 requests.
    let records = [
      TraceRecord(key: 1, time: 5_000_000, size: 10, ttl: 60),
      TraceRecord(key: 2, time: 6_000_000, size: 20),
      TraceRecord(key: 1, time: 7_000_000, size: 30, operation: .set),
      TraceRecord(key: 3, time: 6_500_000, size: 40, ttl: 30),
      TraceRecord(key: 1, time: 8_000_000, size: 10, operation: .delete),
      TraceRecord(key: 2, time: 9_000_000, size: 20, ttl: 60),
      TraceRecord(key: 4, time: 9_000_001, size: 0),
    ]
    let trace = try PreparedTrace.prepare(
      source: RecordList(list: records, columns: [.size, .time, .ttl, .operation]), name: "hand")
    let facts = TraceAnalysis(trace)
    #expect(facts.name == "hand" && facts.requests == 7 && facts.objects == 4)
    #expect(facts.footprintBytes == 70 && facts.bytesRequested == 130)
    #expect(facts.oneHitWonders == 2 && facts.oneHitWonderShare == 0.5)
    #expect(facts.operations == [5, 1, 1, 0])
    #expect(facts.durationMicroseconds == 4_000_001)
    #expect(facts.objectSizes?.min == 0 && facts.objectSizes?.max == 40)
    #expect(facts.objectSizes?.mean == 17.5)
    #expect(facts.objectSizes?.percentile(50) == 10)
    #expect(facts.requestSizes?.percentile(50) == 20)
    #expect(facts.ttls?.count == 3 && facts.ttls?.min == 30 && facts.ttls?.mean == 50)
    #expect(facts.popularity.topOneShare == 3.0 / 7)
    #expect(facts.popularity.topTenShare == 1)
    #expect(facts.popularity.topPercentShare == 3.0 / 7, "1 % of 4, rounded up")
  }

  /// Object 1 is stored, 2 bypasses caches, 3 bypasses and is then stored, 4 is only deleted, 5 is
  /// set, 6 only changes.
  @Test func footprintIsThatOfStorableObjects() throws {
    let records = [
      TraceRecord(key: 1, size: 10), TraceRecord(key: 2, size: 1000, operation: .bypass),
      TraceRecord(key: 3, size: 500, operation: .bypass), TraceRecord(key: 3, size: 7),
      TraceRecord(key: 4, size: 3, operation: .delete),
      TraceRecord(key: 5, size: 20, operation: .set),
      TraceRecord(key: 6, size: 9, operation: .modify), TraceRecord(key: 1, size: 10),
    ]
    let trace = try PreparedTrace.prepare(
      source: RecordList(list: records, columns: [.size, .operation]), name: "mixed")
    #expect(trace.requests.objects == 6 && trace.storableObjects == 3)
    #expect(trace.footprintBytes == 37)
    let facts = TraceAnalysis(trace)
    #expect(facts.objects == 6 && facts.storableObjects == 3 && facts.footprintBytes == 37)
    #expect(facts.objectSizes?.count == 3 && facts.objectSizes?.max == 20)
    #expect(facts.objectsWithSeveralSizes == 0)
    let folder = try TestFolder()
    try TraceWriter.larder.write(trace, to: folder.path("a.larder"))
    let read = try PreparedTrace.load(path: folder.path("a.larder"))
    #expect(read.footprintBytes == 37 && read.storableObjects == 3)
    let part = try trace.requests(at: [1, 3, 5])
    #expect(part.footprintBytes == 27 && part.storableObjects == 2)
    let bare = try PreparedTrace.prepare(
      source: RecordList(list: records, columns: [.operation]), name: "bare")
    #expect(bare.footprintBytes == 3 && bare.storableObjects == 3)
  }

  @Test func figuresAreNilWithoutData() throws {
    let trace = try PreparedTrace.prepare(
      source: RecordList(list: [TraceRecord(key: 1)], columns: []), name: "bare")
    let facts = TraceAnalysis(trace)
    #expect(facts.footprintBytes == nil && facts.bytesRequested == nil)
    #expect(facts.objectSizes == nil && facts.requestSizes == nil && facts.ttls == nil)
    #expect(facts.durationMicroseconds == nil && facts.popularity.zipf == nil)
    #expect(facts.operations == [1, 0, 0, 0])
    let nothing = TraceAnalysis(try PreparedTrace.prepare(source: RecordList(list: []), name: "x"))
    #expect(nothing.requests == 0 && nothing.oneHitWonderShare == nil)
    #expect(nothing.popularity.topOneShare == nil && nothing.durationMicroseconds == 0)
  }

  @Test(arguments: [1, 2, 3, 10, 99, 100, 101, 1000, 20_011])
  func percentilesAreThoseOfTheSortedValues(_ count: Int) {
    var random = SeededRandom(state: UInt64(count))
    for mask in [0xF, 0xFFFF, 0xFFFF_FFFF] as [UInt64] {
      let values = (0..<count).map { _ in UInt32(random.next() & mask) }
      let sorted = values.sorted()
      let spread = values.withUnsafeBufferPointer { Distribution($0) }
      #expect(spread?.count == count && spread?.min == sorted.first && spread?.max == sorted.last)
      for percentile in Distribution.percentiles {
        // By the definition: the smallest value that at least this percentage does not exceed.
        let enough = sorted.indices.first { ($0 + 1) * 100 >= percentile * count }
        #expect(spread?.percentile(percentile) == sorted[enough ?? 0], "\(percentile) of \(count)")
      }
    }
  }

  @Test func valuesBelowFloorAreIgnored() {
    let values: [UInt32] = [0, 0, 5, 7, 0]
    let spread = values.withUnsafeBufferPointer { Distribution($0, above: 0) }
    #expect(spread?.count == 2 && spread?.min == 5 && spread?.mean == 6)
    #expect([UInt32(0), 0].withUnsafeBufferPointer { Distribution($0, above: 0) } == nil)
  }
}
