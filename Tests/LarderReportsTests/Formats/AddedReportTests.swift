import Foundation
import LarderExperiments
import LarderReports
import Testing

/// Hit ratios in columns, as another package would write them.
private struct TabReport: ReportFormat {
  var name = "tabs"
  var fileName = "hits.tsv"

  func text(of results: RunResults) throws(ReportError) -> String {
    results.records.map { "\(TextSafety.singleLine($0.cell.policy))\t\($0.counts.hits)\n" }.joined()
  }
}

/// A report that is added when the program runs is known by name, and workload files may ask for
/// it.
@Suite struct AddedReportTests {
  private static let isAdded = (try? ReportRegistry.add(TabReport())) != nil

  @Test func itIsWritten() throws {
    try #require(Self.isAdded)
    let format = try ReportRegistry.format(named: "tabs")
    #expect(try format.text(of: SampleResults.full).contains("lru\t"))
    #expect(try ReportRegistry.format(named: "hits.tsv").name == "tabs")
    let text =
      "source: {generator: zipf, requests: 10, objects: 5}\npolicies: lru\ncapacities: 2\n"
      + "reports: [counts, tabs]\n"
    let workload = try WorkloadDecoder().decode(Data(text.utf8), file: "tabs.yaml")
    #expect(workload.reports.map(\.rawValue) == ["counts", "tabs"])
  }

  @Test func namesAreTakenOnce() throws {
    try #require(Self.isAdded)
    for taken in [
      TabReport(), TabReport(name: "counts", fileName: "a.txt"),
      TabReport(name: "other", fileName: "report.md"), TabReport(name: "Other", fileName: "b.txt"),
    ] {
      #expect(throws: ReportError.self) { try ReportRegistry.add(taken) }
    }
  }
}
