import Foundation
import LarderExperiments
import Testing

@testable import LarderReports

/// Every format's output for fixed results, kept in `Golden/`. After an intended change, run the
/// tests with LARDER_UPDATE_GOLDEN=1 and read the difference before committing it.
struct GoldenTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")

  @Test(arguments: ReportRegistry.names)
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

  /// Style and script are the same in every page, and say nothing of a report.
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
    let path = Self.folder.appending(path: file)
    if ProcessInfo.processInfo.environment["LARDER_UPDATE_GOLDEN"] == "1" {
      try text.write(to: path, atomically: true, encoding: .utf8)
    }
    let expected = try String(contentsOf: path, encoding: .utf8)
    for (number, lines) in zip(lines(text), lines(expected)).enumerated() {
      #expect(lines.0 == lines.1, "\(file):\(number + 1)")
    }
    #expect(text == expected, "\(file) differs")
  }

  private func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }
}
