/// A file of a report.
public struct ReportFile: Sendable, Hashable {
  /// Its path below the folder of the report.
  public var name: String
  /// What it holds.
  public var text: String

  /// A file; its folder is made where it is not there.
  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}
