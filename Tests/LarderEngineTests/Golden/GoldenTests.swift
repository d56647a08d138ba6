import Foundation
import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@Suite struct GoldenTests {
  private static let isUpdating = ProcessInfo.processInfo.environment["LARDER_UPDATE_GOLDEN"] != nil

  @Test(arguments: GoldenTraces.all.map(\.name))
  func engineCountsWhatIsPinned(trace name: String) throws {
    let trace = try #require(GoldenTraces.named(name))
    let columns = trace.columns()
    let rows = try GoldenTable.load().filter { $0.key[0] == name }
    #expect(!rows.isEmpty)
    for row in TestEffort.cases(rows, atLeast: 120) {
      let simulation = try PolicyRegistry.makeSimulation(row.setup(), over: columns)
      simulation.run(upTo: columns.count, untilFirstEviction: false)
      let found = GoldenRow(key: row.key, counts: simulation.counts)
      #expect(found.description == row.description)
    }
  }

  @Test func theTableIsComplete() throws {
    #expect(try GoldenTable.load().map(\.key) == GoldenTable.keys)
  }

  @Test func theTableIsTheModels() throws {
    let rows = try GoldenTable.load().filter { $0.key[3] == "8" || $0.key[3] == "600" }
    #expect(!rows.isEmpty)
    for row in TestEffort.cases(rows, atLeast: 40) {
      #expect(try GoldenTable.modelled(row.key).description == row.description)
    }
  }

  /// Rewrites the table: `LARDER_UPDATE_GOLDEN=1 swift test --filter rewriteTheTable`.
  @Test(.enabled(if: isUpdating, "only with LARDER_UPDATE_GOLDEN"))
  func rewriteTheTable() throws {
    let rows = try GoldenTable.keys.map { try GoldenTable.modelled($0).description }
    let text = ([GoldenRow.header] + rows).joined(separator: "\n") + "\n"
    try text.write(to: GoldenTable.file, atomically: true, encoding: .utf8)
  }
}
