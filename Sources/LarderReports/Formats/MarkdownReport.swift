import LarderExperiments

/// The report for a person in GitHub's Markdown.
///
///     # zipf
///     ## Recommendation
///     - **Use** `s3-fifo`, at every capacity.
///     - **The choice matters** most at 1%: `s3-fifo` 41.20 %, `lru` 38.10 %.
///
///     | policy | 1% | 5% |
///     | :-- | --: | --: |
///     | `s3-fifo` | **41.20** | **61.02** |
///
///     <details>
///     <summary><strong>Configuration memory</strong></summary>
///     ...
///
/// `ReportDocument` decides the content; this type only renders it as Markdown.
package struct MarkdownReport: ReportFormat {
  package let name = "markdown"
  package let fileName = "report.md"

  package init() {}

  package func text(of results: RunResults) throws(ReportError) -> String {
    MarkdownMarkup().text(of: ReportDocument(results).narrowBlocks)
  }

  /// Returns the report and its charts, which are in a folder next to it.
  package func files(of results: RunResults) throws(ReportError) -> [ReportFile] {
    let document = ReportDocument(results)
    let report = MarkdownMarkup().text(of: document.narrowBlocks)
    return [ReportFile(name: fileName, text: report)]
      + document.figures.map { figure in
        ReportFile(name: figure.fileName, text: figure.chart.svg(ChartOptions(id: figure.name)))
      }
  }
}
