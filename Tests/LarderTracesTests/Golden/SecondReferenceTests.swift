import Foundation
import LarderEngine
import LarderPolicies
import LarderTraces
import TestSupport
import Testing

/// S4-FIFO, Clock2Q+ and TinyUFO on real traces, to the request.
@Suite(
  .enabled(
    if: ReferenceTraces.areAvailable && ReferenceHits.secondRows != nil,
    "needs LARDER_TRACES, and reference/hits-2.csv beside that folder"))
struct SecondReferenceTests {
  @Test func theTableIsRead() throws {
    let rows = try #require(ReferenceHits.secondRows)
    #expect(rows.count == 330)
    #expect(ReferenceHits.traces(rows).count == 8)
  }

  /// The table has TinyUFO with exact counters. The default's sketch is within 0.3 points.
  @Test(arguments: ReferenceHits.traces(ReferenceHits.secondRows))
  func countsAreExact(trace name: String) throws {
    let rows = (ReferenceHits.secondRows ?? []).filter { $0.trace == name }
    let file = try #require(rows.first?.file)
    let trace = try PreparedTrace.load(
      path: ReferenceTraces.path(file),
      format: try ComponentSpec(parsing: ReferenceHits.format(of: file)))
    let offset = ReferenceHits.traces(ReferenceHits.secondRows).firstIndex(of: name) ?? 0
    for row in ReferenceHitsTests.sampled(rows, offset: offset) {
      var exact = row
      if row.policy == "tinyufo" {
        exact.policy = "tinyufo:counters=exact"
        try Self.checkSketch(row, trace.requests)
      }
      try ReferenceHitsTests.check(exact, trace.requests)
    }
    withExtendedLifetime(trace) {}
  }

  private static func checkSketch(_ row: ReferenceHits.Row, _ columns: RequestColumns) throws {
    let counts = try ReferenceHits.counts(row.policy, row.capacity, row.unit, columns)
    let expected = Double(row.hits) / Double(row.requests)
    let found = try #require(counts.hitRatio)
    #expect(abs(found - expected) < 0.003, "sketch at \(row.capacity): \(found), \(expected)")
  }
}
