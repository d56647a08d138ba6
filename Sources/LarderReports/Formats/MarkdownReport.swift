import LarderExperiments

/// The report for a person in GitHub's Markdown, with its charts in a folder next to it.
package struct MarkdownReport: ReportFormat {
  package let name = "markdown"
  package let fileName = "report.md"

  package init() {}

  package func text(of results: RunResults) throws(ReportError) -> String {
    MarkdownMarkup().text(of: ReportDocument(results).blocks.narrow)
  }

  package func files(of results: RunResults) throws(ReportError) -> [ReportFile] {
    [ReportFile(name: fileName, text: try text(of: results))]
      + ReportDocument(results).figures.map(\.file)
  }
}
