import LarderExperiments

/// The report for a person who must choose, in Markdown as GitHub shows it.
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
/// What it says is decided in `ReportDocument`; here it only becomes Markdown.
package struct MarkdownReport: ReportFormat {
  /// The name users type.
  package let name = "markdown"
  /// The file that a run writes.
  package let fileName = "report.md"

  /// The format has no options.
  package init() {}

  /// The report. Linear in the number of records.
  package func text(of results: RunResults) throws(ReportError) -> String {
    MarkdownMarkup().text(of: ReportDocument(results).narrowBlocks)
  }

  /// The report and, in a folder beside it, the charts that it shows.
  package func files(of results: RunResults) throws(ReportError) -> [ReportFile] {
    let document = ReportDocument(results)
    let report = MarkdownMarkup().text(of: document.narrowBlocks)
    return [ReportFile(name: fileName, text: report)]
      + document.figures.map { figure in
        ReportFile(name: figure.fileName, text: figure.chart.svg(ChartOptions(id: figure.name)))
      }
  }
}
