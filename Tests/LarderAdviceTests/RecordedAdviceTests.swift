import Foundation
import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// Advice for a recording of a part of the keys applies to all the traffic.
@Suite struct RecordedAdviceTests {
  private func recording(of trace: PreparedTrace, sampling: Double) throws -> PreparedTrace {
    let path = FileManager.default.temporaryDirectory.path + "/larder-advice-\(UUID()).recorded"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try RecordedTraceFile(path: path, sampling: sampling, hash: SipHash(1, 2))
    for place in 0..<trace.requests.count {
      try file.add([
        TraceRecord(
          key: UInt64(trace.requests.ids[place]), time: UInt64(place) * 1000,
          size: 40 + trace.requests.ids[place] % 40)
      ])
    }
    try file.finish()
    return try PreparedTrace.load(path: path)
  }

  @Test func capacitiesAndCostsRepresentAllTraffic() throws {
    let trace = try AdviceStand.generated("zipf:objects=6000:exponent=0.8", requests: 40_000)
    let settings = try AdviceStand.settings("20000B", requestsMax: 4e6)
    let (whole, part) = (
      try Advisor(trace: try recording(of: trace, sampling: 1), settings: settings).make(),
      try Advisor(trace: try recording(of: trace, sampling: 0.25), settings: settings).make()
    )
    #expect(whole.best.capacity == 20_000 && part.best.capacity == 20_000)
    #expect(part.trace.samplingRate == 0.25 && whole.trace.samplingRate == nil)
    // A quarter of the objects is 1,500 objects, so the result depends on the hot ones among them.
    #expect(abs(whole.best.advised.hitRatio - part.best.advised.hitRatio) < 0.1)
    #expect(abs(whole.best.lru.hitRatio - part.best.lru.hitRatio) < 0.1)
    let (a, b) = (try #require(whole.costs), try #require(part.costs))
    #expect(abs(a.monthlyGets / b.monthlyGets - 1) < 0.02)
    #expect(abs(a.recommended.total / b.recommended.total - 1) < 0.1)
    #expect(b.recommended.capacity == 20_000)
    let (large, largest) = (whole.curve.last?.capacity ?? 0, part.curve.last?.capacity ?? 0)
    #expect(abs(Double(large) / Double(largest) - 1) < 0.1)
    #expect(part.notes.contains { $0.contains("sample of 25 % of the objects") })
    #expect(whole.notes.allSatisfy { !$0.contains("sample of") })
  }
}
