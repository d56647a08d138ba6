import Foundation
import LarderEngine
import LarderPolicies
import LarderTraces
import TestSupport
import Testing

/// Real traces, every registered policy, to the request.
@Suite(
  .enabled(
    if: ReferenceTraces.areAvailable && ReferenceHits.rows != nil,
    "needs LARDER_TRACES, and reference/hits.csv beside that folder"))
struct ReferenceHitsTests {
  /// Traces longer than this are sampled in debug builds, where all of them take minutes.
  private static let longTrace = 200_000
  private static let longestTrace = 2_000_000

  @Test func theTableIsRead() throws {
    let rows = try #require(ReferenceHits.rows)
    let lines = try String(contentsOfFile: ReferenceHits.path, encoding: .utf8)
      .split(whereSeparator: \.isNewline)
    #expect(rows.count == lines.count - 1)
    #expect(ReferenceHits.traces(rows).count > 10)
  }

  @Test(arguments: ReferenceHits.traces(ReferenceHits.rows))
  func countsAreExact(trace name: String) throws {
    let known = Set(PolicyRegistry.standard.map(\.description.name))
    let rows = try (ReferenceHits.rows ?? []).filter {
      try $0.trace == name && known.contains(PolicySpec(parsing: $0.policy).name)
    }
    let file = try #require(rows.first?.file)
    let trace = try PreparedTrace.load(
      path: ReferenceTraces.path(file),
      format: try ComponentSpec(parsing: ReferenceHits.format(of: file)))
    let columns = try trace.withNextUses().requests
    let offset = ReferenceHits.traces(ReferenceHits.rows).firstIndex(of: name) ?? 0
    for row in Self.sampled(rows, offset: offset) { try Self.check(row, columns) }
    withExtendedLifetime(trace) {}
  }

  /// Simulates a row and compares its counts.
  static func check(_ row: ReferenceHits.Row, _ columns: RequestColumns) throws {
    let counts = try ReferenceHits.counts(row.policy, row.capacity, row.unit, columns)
    let cell = "\(row.policy) \(row.capacity) \(row.unit)"
    #expect(counts.hits == row.hits, "\(cell)")
    #expect(counts.requests == row.requests, "\(cell)")
    #expect(columns.objects == row.objects, "\(cell)")
    if let expected = row.byteHitRatio {
      #expect(counts.byteHitRatio.map { String(format: "%.8f", $0) } == expected, "\(cell)")
    }
  }

  /// All rows; for a long trace in a debug build the smallest capacity of each policy, and of the
  /// longest traces some policies. `make test` takes a share of them, others of each trace.
  static func sampled(_ rows: [ReferenceHits.Row], offset: Int) -> [ReferenceHits.Row] {
    var isDebug = false
    assert(
      {
        isDebug = true
        return true
      }())
    guard isDebug, let requests = rows.first?.requests else { return rows }
    if requests <= longTrace { return TestEffort.cases(rows, atLeast: 12, offset: offset) }
    let smallest = rows.filter { row in
      !rows.contains {
        $0.policy == row.policy && $0.unit == row.unit && $0.capacity < row.capacity
      }
    }
    let isLongest = requests > longestTrace
    return TestEffort.cases(smallest, atLeast: isLongest ? 2 : 8, offset: offset)
  }
}
