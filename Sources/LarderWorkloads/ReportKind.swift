import LarderEngine

/// A file that a run leaves behind, by the name of its report.
package struct ReportKind: RawRepresentable, Sendable, Hashable, CaseIterable {
  /// The name in workload files.
  package let rawValue: String

  /// `counts.csv`.
  package static let counts = ReportKind(name: "counts")
  /// `timings.csv`.
  package static let timings = ReportKind(name: "timings")
  /// `results.json`.
  package static let json = ReportKind(name: "json")
  /// `report.md`, with its charts as `charts/*.svg`.
  package static let markdown = ReportKind(name: "markdown")
  /// `report.html`.
  package static let html = ReportKind(name: "html")

  /// Those of this package, which the schema of workload files lists.
  package static let standard = [counts, timings, json, markdown, html]

  private static let added = Locked<[ReportKind]>([])

  /// All of them: those of this package, and what the program has added to its reports.
  package static var allCases: [ReportKind] { standard + added.withLock { $0 } }

  /// The report of a name that there is.
  package init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = kind
  }

  private init(name: String) { rawValue = name }

  /// Lets workload files name a report of the program's own.
  package static func add(_ name: String) {
    added.withLock { $0.append(ReportKind(name: name)) }
  }
}
