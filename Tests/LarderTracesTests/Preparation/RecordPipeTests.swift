import TestSupport
import Testing

@testable import LarderTraces

/// Records that one thread produces and another takes.
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
  func allComeInOrder(_ count: Int, _ batch: Int) throws {
    var next: UInt64 = 0
    try RecordPipe.run({ try produce(count, batch: batch, into: $0) }) { records in
      for record in records {
        #expect(record.key == next)
        next += 1
      }
      return true
    }
    #expect(next == UInt64(count))
  }

  @Test func errorsOfBothSidesArrive() {
    var seen = 0
    #expect(throws: Stop.self) {
      try RecordPipe.run({ sink in
        try produce(10_000, batch: 100, into: sink)
        throw Stop()
      }) { records in
        seen += records.count
        return true
      }
    }
    #expect(seen == 10_000, "what came before the error is handed on")
    #expect(throws: Stop.self) {
      try RecordPipe.run({ try produce(10_000_000, batch: 2048, into: $0) }) { _ in throw Stop() }
    }
  }

  @Test func whoHasEnoughStopsTheOther() throws {
    var calls = 0
    try RecordPipe.run({ try produce(10_000_000, batch: 2048, into: $0) }) { _ in
      calls += 1
      return calls < 3
    }
    #expect(calls == 3)
  }
}
