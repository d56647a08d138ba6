import LarderEngine
import LarderPolicies
import Testing

@testable import LarderTraces

/// Different sizes of one object, and unknown sizes.
@Suite
struct SizeResolutionTests {
  private struct Source: RecordSource {
    var list: [TraceRecord]
    var columns: TraceColumns = [.size, .operation, .cost]
    var sizeRule: SizeRule
    func records(into sink: RecordSink) throws { _ = try list.withUnsafeBufferPointer(sink) }
  }

  private func prepared(_ list: [TraceRecord], _ rule: SizeRule) throws -> PreparedTrace {
    try PreparedTrace.prepare(source: Source(list: list, sizeRule: rule), name: "sizes")
  }

  private func sizes(_ list: [TraceRecord], _ rule: SizeRule) throws -> [UInt32] {
    let trace = try prepared(list, rule)
    return (0..<trace.requests.count).compactMap { trace.requests.sizes?[$0] }
  }

  private static let sevenLines = [0, 100_000, 50, 0, 100_000, 7, 100_000].map {
    TraceRecord(key: 1, size: UInt32($0))
  }

  @Test func oneObjectHasOneSize() throws {
    #expect(Set(try sizes(Self.sevenLines, .lastFull)) == [100_000])
    let twoSizes = [TraceRecord(key: 1, size: 100_000), TraceRecord(key: 1, size: 7)]
    #expect(Set(try sizes(twoSizes, .lastFull)) == [7])
    #expect(Set(try sizes(Self.sevenLines.dropLast(), .max)) == [100_000])
    #expect(Set(try sizes(Self.sevenLines, .first)) == [100_000])
    #expect(try sizes(Self.sevenLines, .logged) == Self.sevenLines.map(\.size))
    let facts = try prepared(Self.sevenLines, .lastFull).reading.sizes
    #expect(facts?.objectsWithSeveral == 1)
  }

  @Test func partialSizesDoNotCauseHits() throws {
    let folder = try TestFolder()
    let lines = Self.sevenLines.enumerated().map { "\($0.offset),/a,\($0.element.size)\n" }
    let path = try folder.write("time,url,bytes\n" + lines.joined(), to: "log.csv")
    let trace = try PreparedTrace.load(path: path)
    #expect(trace.footprintBytes == 100_000)
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(
        arrangement: .memory(TierSetup(policy: PolicySpec(parsing: "lru"), capacity: 1000)),
        unit: .bytes),
      over: trace.requests)
    simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
    #expect(simulation.counts.byteHitRatio == 0)
  }

  private static let manyCut: [Int] =
    Array(repeating: 8000, count: 20) + [10, 60, 20, 50, 30, 40]

  private static let cutAnswers: [(answers: [Int], size: UInt32)] = [
    // The last response was cut off, or the last two.
    ([9000, 9000, 9000, 100], 9000), ([9000, 9000, 9000, 9000, 9000, 100, 70], 9000),
    // All responses differ.
    ([1000, 1003, 1001, 1002, 17], 1002), ([1000, 1001, 30, 1002, 20, 1003, 10], 1003),
    // More cut-off responses than candidates.
    (manyCut, 8000),
    // Of two sizes either can be right; and an object changes.
    ([9000, 100], 100), ([9000, 9000, 500, 500], 500), ([500, 500, 9000], 9000),
    // A larger last size counts, and sizes of 0 are ignored.
    ([100, 100, 100, 9000], 9000), ([0, 0, 0, 70], 70),
  ]

  @Test(arguments: cutAnswers)
  func truncatedResponseDoesNotSetTheSize(_ answers: [Int], _ expected: UInt32) throws {
    let list = answers.map { TraceRecord(key: 1, size: UInt32($0)) }
    #expect(Set(try sizes(list, .lastFull)) == [expected])
  }

  @Test func truncatedResponsesAreDetectedPerVersion() throws {
    let sizesOfVersions: [[Int]] = [[50, 50, 50, 3], [80, 80, 80, 2], [20, 30, 20, 20, 1]]
    let list = sizesOfVersions.flatMap { sizes in
      sizes.enumerated().map { index, size in
        TraceRecord(key: 1, size: UInt32(size), operation: index == 0 ? .set : .get)
      }
    }
    let expected = [50, 50, 50, 50, 80, 80, 80, 80, 20, 20, 20, 20, 20].map(UInt32.init)
    #expect(try sizes(list, .lastFull) == expected)
  }

  @Test func aWriteBeginsAnotherVersion() throws {
    let list = [
      TraceRecord(key: 1, size: 0, isSizeKnown: false),
      TraceRecord(key: 1, size: 10, operation: .set),
      TraceRecord(key: 1, size: 0, isSizeKnown: false),
      TraceRecord(key: 1, size: 30, operation: .set),
      TraceRecord(key: 1, size: 0, isSizeKnown: false),
      TraceRecord(key: 1, size: 0, operation: .set, isSizeKnown: false),
      TraceRecord(key: 2, size: 0, isSizeKnown: false),
    ]
    for rule in [SizeRule.lastFull, .max, .first] {
      #expect(try sizes(list, rule) == [10, 10, 10, 30, 30, 30, 10], "\(rule)")
    }
    #expect(try prepared(list, .lastFull).reading.sizes?.objectsWithSeveral == 0)
  }

  @Test func partsReplaceUnknownSizes() throws {
    let list = [
      TraceRecord(key: 1, size: 5, isSizeKnown: false),
      TraceRecord(key: 1, size: 9, isSizeKnown: false),
      TraceRecord(key: 2, size: 100), TraceRecord(key: 3, size: 0),
      TraceRecord(
        key: 2, size: 3,
        operation: .bypass),
    ]
    #expect(try sizes(list, .lastFull) == [9, 9, 100, 0, 3])
  }

  @Test func aTraceWithoutAnySizeHasNone() throws {
    let list = [TraceRecord(key: 1, size: 0, isSizeKnown: false)]
    let trace = try prepared(list, .lastFull)
    #expect(!trace.hasSizes && trace.footprintBytes == 1, "objects, not 0 bytes")
  }

  @Test func costsAreFilledFromTheObject() throws {
    let list = [
      TraceRecord(key: 1, cost: -1), TraceRecord(key: 1, cost: 4), TraceRecord(key: 1, cost: -1),
      TraceRecord(key: 2, cost: -1), TraceRecord(key: 3, cost: 8),
    ]
    let trace = try prepared(list, .logged)
    let costs = (0..<5).compactMap { trace.requests.costs?[$0] }
    #expect(costs == [4, 4, 4, 6, 8] && trace.reading.costsFilled == 3)
    #expect(try prepared([TraceRecord(key: 1, cost: -1)], .logged).requests.costs == nil)
  }
}
