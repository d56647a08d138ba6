import Foundation
import LarderExperiments
import LarderReports
import Testing

/// Every format's output for fixed results, kept in `Golden/`. After an intended change, run the
/// tests with LARDER_UPDATE_GOLDEN=1 and read the difference before committing it.
struct GoldenTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Golden")

  @Test(arguments: ReportRegistry.names)
  func format(_ name: String) throws {
    let format = try ReportRegistry.format(named: name)
    try check(try format.text(of: SampleResults.full), against: format.fileName)
  }

  @Test func terminalTable() throws {
    try check(ComparisonTable.text(of: SampleResults.full), against: "comparison.txt")
  }

  func check(_ text: String, against file: String) throws {
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
