import Foundation
import LarderEngine
import LarderSupport
import LarderTraces
import Testing

@testable import LarderExperiments

/// The measurement of `make figures PART=regret`.
struct RegretTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let learned = "20%"

  @Test func adviceIsComparedWithWholeSearchSpace() throws {
    let trace = try AdviceStand.generated("zipf:objects=100:exponent=0.8", requests: 500)
    let share = try #require(Share(parsing: Self.learned))
    let rows = try Regret(
      trace: trace, learned: share, seed: 1, threads: 2, cancellation: Cancellation()
    ).rows(at: ["21%"]) { _ in }
    #expect(rows.map(\.chosenOn) == ["whole", "20%"])
    for row in rows {
      #expect(row.regretPoints >= 0 && row.bestHitRatio >= row.lruHitRatio)
    }
    #expect(Regret.summary(rows).contains("| whole | 1 |"))
    #expect(Regret.csv(rows[0]).split(separator: ",").count == 13)
  }

  /// Writes `Results/examples/advice`. Files whose format is not recognised are skipped with a
  /// note.
  @Test(.enabled(if: environment["LARDER_REGRET_TRACES"] != nil, "make figures PART=regret"))
  func tablesAreWritten() throws {
    let folder = URL(fileURLWithPath: Self.environment["LARDER_REGRET_TRACES"] ?? "")
    let walker = FileManager.default.enumerator(atPath: folder.path)
    let names = (walker?.allObjects as? [String] ?? []).filter { !$0.hasSuffix(".md") }.sorted()
    let share = try #require(Share(parsing: Self.learned))
    var rows: [Regret.Row] = []
    for path in names.map({ folder.appendingPathComponent($0).path }) {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      guard !isFolder.boolValue else { continue }
      guard (try? FileSource(path: path)) != nil else {
        print("skipping \(path): format not recognised")
        continue
      }
      let regret = Regret(
        trace: try PreparedTrace.load(path: path), learned: share, seed: 1,
        threads: ProcessInfo.processInfo.activeProcessorCount, cancellation: Cancellation())
      rows += try regret.rows { print($0) }
      // After each trace: the large ones take long.
      try write(rows)
    }
    try #require(!rows.isEmpty)
  }

  private func write(_ rows: [Regret.Row]) throws {
    let output = Self.repository.appendingPathComponent("Results/examples/advice")
    let table = Regret.csvHeader + rows.map { Regret.csv($0) }.joined()
    let text = """
      # Regret of larder advise

      Points that the advised design is below the best of its search space, at eight capacities \
      from 0.1 % to 50 % of the footprint of each trace. `whole`: chosen and scored on the whole \
      trace. `\(Self.learned)`: chosen on that share of the requests, scored on the rest. \
      regret.csv has every cell. `make figures PART=regret TRACES=folder` repeats the table.

      \(Regret.summary(rows))
      """
    for (name, text) in [("regret.csv", table), ("README.md", text)] {
      let file = output.appendingPathComponent(name)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
  }
}
