import Testing

@testable import LarderTraces

/// Reading a sample of a trace's objects.
@Suite
struct ObjectSampleTests {
  /// Requests of objects 0 to 1,999, a few for each; every tenth request is a set.
  private static let requests: [(time: Int, id: Int, operation: String)] = (0..<20_000).map {
    ($0, $0 * 7919 % 2000, $0 % 10 == 9 ? "set" : "get")
  }

  private static var text: String {
    "time,id,op\n" + requests.map { "\($0.time),\($0.id),\($0.operation)\n" }.joined()
  }

  private func load(
    _ path: String, _ rate: Double?, more: [String]? = nil
  ) throws -> PreparedTrace {
    try PreparedTrace.load(TraceReference(path: path, morePaths: more, sample: rate))
  }

  @Test(arguments: [0.5, 0.1, 0.01])
  func allRequestsOfAnObjectAreKeptOrNone(_ rate: Double) throws {
    let folder = try TestFolder()
    let trace = try load(try folder.write(Self.text, to: "a.csv"), rate)
    #expect(trace.sampling == TraceSampling(rate: rate, gets: 18_000))
    // Every object is requested ten times, and so are those of the sample.
    #expect(trace.requests.count == trace.requests.objects * 10)
    let expected = 2000 * rate
    #expect(abs(Double(trace.requests.objects) - expected) <= 4 * expected.squareRoot())
    // Times are those of the whole trace, without shifts.
    let times = (0..<trace.requests.count).compactMap { trace.requests.times?[$0] }
    #expect(times == times.sorted())
    #expect(trace.notes.contains { $0.contains("is a sample of \(TraceSampling.share(rate))") })
  }

  @Test func aSmallerSampleIsPartOfALargerOne() throws {
    let folder = try TestFolder()
    let path = try folder.write(Self.text, to: "a.csv")
    func times(_ rate: Double) throws -> Set<UInt64> {
      let trace = try load(path, rate)
      return Set((0..<trace.requests.count).compactMap { trace.requests.times?[$0] })
    }
    let (small, large) = (try times(0.05), try times(0.2))
    #expect(!small.isEmpty && small.isSubset(of: large) && small.count < large.count)
  }

  @Test func severalFilesAreSampledConsistently() throws {
    let folder = try TestFolder()
    let lines = Self.text.split(separator: "\n")
    let head = "time,id,op\n"
    let first = head + lines[1...9000].joined(separator: "\n") + "\n"
    let second = head + lines[9001...].joined(separator: "\n") + "\n"
    let whole = try load(try folder.write(Self.text, to: "whole.csv"), 0.1)
    let parts = try load(
      try folder.write(first, to: "1.csv"), 0.1, more: [try folder.write(second, to: "2.csv")])
    #expect(parts.sampling == whole.sampling && parts.requests.count == whole.requests.count)
    #expect(
      (0..<whole.requests.count).allSatisfy { parts.requests.ids[$0] == whole.requests.ids[$0] })
  }

  @Test func aPreparedTraceIsSampledAndRemembersIt() throws {
    let folder = try TestFolder()
    let path = try folder.write(Self.text, to: "a.csv")
    let prepared = folder.path("a.larder")
    try TraceWriter.larder.write(try load(path, nil), to: prepared)
    let sample = try load(prepared, 0.1)
    #expect(sample.sampling == TraceSampling(rate: 0.1, gets: 18_000))
    let kept = folder.path("b.larder")
    try TraceWriter.larder.write(sample, to: kept)
    #expect(try load(kept, nil).sampling == sample.sampling)
    // The rate of a sample of a sample is rejected.
    let text = message { _ = try load(kept, 0.5) }
    #expect(text.contains("is already a sample of 10 % of the objects"))
  }

  @Test func fullRateIsNotASample() throws {
    let folder = try TestFolder()
    let path = try folder.write(Self.text, to: "a.csv")
    #expect(try load(path, 1).sampling == TraceSampling())
    for rate in [0, -1, 1.5, Double.nan, .infinity] {
      #expect(message { _ = try load(path, rate) }.contains("expected a share above 0"), "\(rate)")
    }
  }
}
