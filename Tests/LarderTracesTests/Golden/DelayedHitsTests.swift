import Foundation
import LarderEngine
import LarderPolicies
import LarderTraces
import TestSupport
import Testing

/// Location of the table: next to the folder with the traces.
private enum DelayedHitsTable {
  static let path = ReferenceTraces.path("../reference/delayed.csv")
  static let isThere = FileManager.default.fileExists(atPath: path)
}

/// Simulations with time against `delayed.csv`: counts on real traces, confirmed by at least two
/// unrelated programs, some of them by the authors of the paper on delayed hits.
@Suite(
  .enabled(
    if: ReferenceTraces.areAvailable && DelayedHitsTable.isThere,
    "needs LARDER_TRACES, and reference/delayed.csv beside that folder"))
struct DelayedHitsTests {
  /// A row: a run and its expected counts.
  private struct Row {
    var file: String
    var format: String
    var setup: SimulationSetup
    var counts: [UInt64]
    var text: Substring
  }

  private static func rows() throws -> [Row] {
    try String(contentsOfFile: DelayedHitsTable.path, encoding: .utf8).split(
      whereSeparator: \.isNewline
    )
    .dropFirst().map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let number = { (place: Int) in try #require(UInt64(fields[place]), "\(line)") }
      let time = try FetchModel(
        latencies: [number(8)], bytesPerSecond: UInt64(fields[9]), servers: Int(fields[10]),
        coalesces: fields[11] == "1", clock: fields[7] == "requests" ? .requests : .trace)
      let tier = TierSetup(policy: try PolicySpec(parsing: fields[3]), capacity: try number(4))
      return Row(
        file: fields[1], format: fields[2],
        setup: SimulationSetup(
          arrangement: .memory(tier), unit: try #require(CapacityUnit(rawValue: fields[5])),
          time: time),
        counts: try (12...18).map(number), text: line)
    }
  }

  /// The table has the sizes of each line, which Larder would resolve differently by default.
  private static func load(_ row: Row) throws -> PreparedTrace {
    var format = row.format
    if format.contains("size=") { format += ":sizes=logged" }
    return try PreparedTrace.load(
      path: ReferenceTraces.path(row.file), format: try ComponentSpec(parsing: format))
  }

  @Test func everyRowIsEqual() throws {
    let rows = try Self.rows()
    #expect(rows.count == 147)
    for (_, rows) in Dictionary(grouping: rows, by: \.file).sorted(by: { $0.key < $1.key }) {
      let trace = try Self.load(rows[0])
      for row in TestEffort.cases(rows, atLeast: 4) {
        let simulation = try PolicyRegistry.makeSimulation(row.setup, over: trace.requests)
        simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
        let counts = simulation.counts
        let time = try #require(counts.time)
        let found = [
          counts.requests, counts.hits, time.delayedHits, time.originFetches, time.totalLatency,
          time.maxInFlight, time.p99Latency,
        ]
        #expect(found == row.counts, "\(row.text)")
      }
    }
  }
}
