import Foundation
import LarderExperiments
import LarderReports
import Testing

/// Every format's output for fixed results, kept in `Golden/`. After an intended change, run the
/// tests with LARDER_UPDATE_GOLDEN=1 and read the difference before committing it.
struct GoldenTests {
  @Test(arguments: ReportRegistry.names)
  func format(_ name: String) throws {
    let format = try ReportRegistry.format(named: name)
    try check(try format.text(of: SampleResults.full), against: format.fileName)
  }

  @Test func terminalTable() throws {
    try check(ComparisonTable.text(of: SampleResults.full), against: "comparison.txt")
  }

  private func check(_ text: String, against file: String) throws {
    try GoldenFile.check(text, against: file)
  }
}
