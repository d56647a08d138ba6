/// A file that a run leaves behind.
package enum ReportKind: String, Sendable, Hashable, CaseIterable {
  /// `counts.csv`.
  case counts
  /// `timings.csv`.
  case timings
  /// `results.json`.
  case json
  /// `report.md`, with its charts as `charts/*.svg`.
  case markdown
  /// `report.html`.
  case html
}
