import Foundation
import Testing

@testable import LarderReports

/// Every format's output for fixed results, stored in `Golden/`. After an intended change, run the
/// tests with LARDER_UPDATE_GOLDEN=1 and review the diff before committing it.
struct GoldenTests {
  @Test(arguments: ReportRegistry.standard.map(\.name))
  func format(_ name: String) throws {
    let format = try ReportRegistry.format(named: name)
    try check(
      Self.withoutConstants(try format.text(of: SampleResults.full)), against: format.fileName)
  }

  @Test(arguments: ["memory-hit-ratio", "two-tiers-tiers", "hybrid-latency"])
  func chart(_ name: String) throws {
    let figure = try #require(
      ReportDocument(SampleResults.full).figures.first { $0.name == name })
    try check(figure.chart.svg(), against: "\(name).svg")
  }

  /// Removes style and script, which are equal in every page.
  private static func withoutConstants(_ text: String) -> String {
    // Foundation's search: the library's takes minutes for long texts in a debug build.
    text.replacingOccurrences(of: PageStyle.text, with: "(style)")
      .replacingOccurrences(of: PageScript.text, with: "(script)")
      .replacingOccurrences(of: HTMLPage.policy, with: "(policy)")
  }

  @Test func terminalTable() throws {
    try check(ComparisonTable.text(of: SampleResults.full), against: "comparison.txt")
  }

  private func check(_ text: String, against file: String) throws {
    try GoldenFile.check(text, against: file)
  }
}
