import TestSupport
import Testing

@testable import LarderTraces

/// Records that one thread produces and another consumes.
@Suite(.endsInTime)
struct RecordPipeTests {
  private struct Stop: Error {}

  private func produce(_ count: Int, batch: Int, into sink: RecordSink) throws {
    var next = 0
    while next < count {
      let end = min(count, next + batch)
      let records = (next..<end).map { TraceRecord(key: UInt64($0)) }
      guard try records.withUnsafeBufferPointer({ try sink($0) }) else { return }
      next = end
    }
  }

  @Test(arguments: [0, 1, 8191, 8192, 8193, 200_000], [1000, 2048, 30_000])
  func recordsArriveInOrder(_ count: Int, _ batch: Int) throws {
    var next: UInt64 = 0
    let take: RecordSink = { records in
      for record in records {
        #expect(record.key == next)
        next += 1
      }
      return true
    }
    try RecordPipe.run({ try produce(count, batch: batch, into: $0) }, into: take)
    #expect(next == UInt64(count))
  }

  @Test func errorsOfBothSidesArrive() {
    var seen = 0
    let take: RecordSink = { records in
      seen += records.count
      return true
    }
    let fail: (RecordSink) throws -> Void = { sink in
      try produce(10_000, batch: 100, into: sink)
      throw Stop()
    }
    #expect(throws: Stop.self) { try RecordPipe.run(fail, into: take) }
    #expect(seen == 10_000, "what came before the error is handed on")
    let many: (RecordSink) throws -> Void = { try produce(10_000_000, batch: 2048, into: $0) }
    #expect(throws: Stop.self) { try RecordPipe.run(many, into: { _ in throw Stop() }) }
  }

  @Test func consumerStopsProducer() throws {
    var calls = 0
    let take: RecordSink = { _ in
      calls += 1
      return calls < 3
    }
    let many: (RecordSink) throws -> Void = { try produce(10_000_000, batch: 2048, into: $0) }
    try RecordPipe.run(many, into: take)
    #expect(calls == 3)
  }
}
