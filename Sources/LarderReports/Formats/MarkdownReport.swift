import LarderExperiments

/// The report for a person in GitHub's Markdown, with its charts in a folder next to it.
package struct MarkdownReport: ReportFormat {
  package let name = "markdown"
  package let fileName = "report.md"

  package init() {}

  package func text(of results: RunResults) throws(ReportError) -> String {
    MarkdownMarkup().text(of: ReportDocument(results).narrowBlocks)
  }

  package func files(of results: RunResults) throws(ReportError) -> [ReportFile] {
    let document = ReportDocument(results)
    let report = MarkdownMarkup().text(of: document.narrowBlocks)
    return [ReportFile(name: fileName, text: report)]
      + document.figures.map { figure in
        ReportFile(name: figure.fileName, text: figure.chart.svg(ChartOptions(id: figure.name)))
      }
  }
}
