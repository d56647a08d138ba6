import LarderSimulation

/// One way to put results into a file.
///
/// A format is one self-contained file in `Formats/` and one line in `ReportRegistry`, or a type of
/// another package that is added with `ReportRegistry.add`. It is pure: the same results give the
/// same text, and nothing else is read.
public protocol ReportFormat: Sendable {
  /// The name users type, such as `counts`.
  var name: String { get }

  /// The file that a run writes it to, such as `counts.csv`.
  var fileName: String { get }

  /// The whole text of the file. Linear in the number of records.
  ///
  /// - Throws: `ReportError` when the results hold something that the format cannot express.
  func text(of results: RunResults) throws(ReportError) -> String

  /// All files that a run writes: `fileName`, and what belongs to it.
  ///
  /// - Throws: as `text(of:)` does.
  func files(of results: RunResults) throws(ReportError) -> [ReportFile]
}

extension ReportFormat {
  /// The one file.
  public func files(of results: RunResults) throws(ReportError) -> [ReportFile] {
    [ReportFile(name: fileName, text: try text(of: results))]
  }
}
