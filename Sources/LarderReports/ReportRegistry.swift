/// All report formats, by name. Adding one is a file in `Formats/` and a line in `all`.
public enum ReportRegistry {
  /// Every format, in the order in which they are written.
  public static let all: [any ReportFormat] = [
    CountsCSV(),
    TimingsCSV(),
    ResultsJSON(),
    MarkdownReport(),
    HTMLReport(),
  ]

  /// The names of all formats, in order.
  public static var names: [String] { all.map(\.name) }

  /// The format with this name or this file name.
  ///
  /// - Throws: `ReportError.unknownFormat` with the names there are.
  public static func format(named name: String) throws(ReportError) -> any ReportFormat {
    let wanted = name.lowercased()
    for format in all where format.name == wanted || format.fileName == wanted {
      return format
    }
    throw .unknownFormat(name, known: names)
  }
}
