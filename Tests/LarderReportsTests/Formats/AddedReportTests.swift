import Foundation
import LarderExperiments
import LarderHarness
import LarderReports
import LarderSupport
import TestSupport
import Testing

/// Hit ratios in columns, as a format of another package.
private struct TabReport: ReportFormat {
  var name = "tabs"
  var fileName = "hits.tsv"

  func text(of results: RunResults) throws(ReportError) -> String {
    results.records.map { "\(TextSafety.singleLine($0.cell.policy))\t\($0.counts.hits)\n" }.joined()
  }
}

// A registered format stays for the rest of the process and appears in messages that other tests
// compare: these tests run in separate processes.
#if compiler(>=6.2)
  /// A report format registered at run time is known by name, and workload files may request it.
  @Suite(.endsInTime) struct AddedReportTests {
    @Test func workloadFilesKnowEveryReport() {
      #expect(ReportRegistry.standard.map(\.name) == ReportKind.standard.map(\.rawValue))
    }

    @Test func registeredReportIsWritten() async {
      await #expect(processExitsWith: .success) {
        try ReportRegistry.add(TabReport())
        let format = try ReportRegistry.format(named: "tabs")
        try #require(try format.text(of: SampleResults.full).contains("lru\t"))
        try #require(try ReportRegistry.format(named: "hits.tsv").name == "tabs")
        let text =
          "source: {generator: zipf, requests: 10, objects: 5}\npolicies: lru\ncapacities: 2\n"
        let decoder = WorkloadDecoder()
        let named = try decoder.decode(Data((text + "reports: [json, tabs]\n").utf8), file: "a")
        try #require(named.reports.map(\.rawValue) == ["json", "tabs"])
        let unnamed = try decoder.decode(Data(text.utf8), file: "b")
        try #require(unnamed.reports.last?.rawValue == "tabs")
      }
    }

    @Test func duplicateNamesAreRejected() async {
      await #expect(processExitsWith: .success) {
        try ReportRegistry.add(TabReport())
        for taken in [
          TabReport(), TabReport(name: "counts", fileName: "a.txt"),
          TabReport(name: "other", fileName: "report.md"),
          TabReport(name: "Other", fileName: "b.txt"),
        ] {
          try #require(throws: ReportError.self) { try ReportRegistry.add(taken) }
        }
      }
    }
  }
#endif
