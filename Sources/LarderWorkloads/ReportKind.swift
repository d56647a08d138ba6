import LarderEngine

/// A file that a run leaves behind, by the name of its report.
package struct ReportKind: RawRepresentable, Sendable, Hashable, CaseIterable {
  /// The name in workload files.
  package let rawValue: String
  /// The files that it consists of; empty where that is not known.
  let files: String

  /// `counts.csv`.
  package static let counts = ReportKind(name: "counts", files: "counts.csv")
  /// `timings.csv`.
  package static let timings = ReportKind(name: "timings", files: "timings.csv")
  /// `results.json`.
  package static let json = ReportKind(name: "json", files: "results.json")
  /// `report.md`, with its charts as `charts/*.svg`.
  package static let markdown = ReportKind(name: "markdown", files: "report.md and charts/")
  /// `report.html`.
  package static let html = ReportKind(name: "html", files: "report.html")

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

  private init(name: String, files: String = "") {
    rawValue = name
    self.files = files
  }

  /// Lets workload files name a report of the program's own.
  package static func add(_ name: String) {
    added.withLock { $0.append(ReportKind(name: name)) }
  }
}
