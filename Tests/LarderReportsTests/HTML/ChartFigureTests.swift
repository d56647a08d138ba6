import Testing

@testable import LarderReports

struct ChartFigureTests {
  @Test(arguments: [
    (["memory", "hit-ratio"], "memory-hit-ratio"), (["Two Tiers", "x"], "two-tiers-x"),
    (["../../etc/passwd", "x"], "etc-passwd-x"), (["日本語"], "chart"), ([""], "chart"),
    (["-a-", ""], "a"), ([String(repeating: "a", count: 300)], String(repeating: "a", count: 80)),
  ])
  func namesAreSafe(_ words: [String], _ name: String) { #expect(ChartFigure.slug(words) == name) }

  @Test func everyChartHasItsOwnName() throws {
    var results = SampleResults.full
    // Two configurations whose names have equal file names.
    results.records += results.records.filter { $0.cell.configuration == "memory" }.map { record in
      var record = record
      record.cell.configuration = "memory!"
      // Configurations with equal hits would share a chart.
      record.counts.memoryHits -= 1
      return record
    }
    let names = ReportDocument(results).figures.map(\.fileName)
    #expect(Set(names).count == names.count)
    #expect(names.contains("charts/memory-hit-ratio.svg"))
    #expect(names.contains("charts/memory-hit-ratio-2.svg"))
  }

  /// The Markdown report refers to exactly the chart files that are written.
  @Test func theReportShowsTheFiles() throws {
    let files = try MarkdownReport().files(of: SampleResults.full)
    let report = try #require(files.first)
    #expect(report.name == "report.md")
    #expect(try report.text == MarkdownReport().text(of: SampleResults.full))
    let shown = report.text.matches(of: /!\[[^\]]*\]\(([^)]*)\)/).map { String($0.1) }
    #expect(shown == files.dropFirst().map(\.name))
    #expect(shown.count > 6)
    for file in files.dropFirst() { #expect(XMLShape(file.text) != nil, "\(file.name)") }
  }
}
