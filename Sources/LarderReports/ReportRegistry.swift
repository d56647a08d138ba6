import LarderEngine
import LarderWorkloads

/// All report formats, by name. Adding one to this package is a file in `Formats/` and a line in
/// `standard`; a report of another package is added with `add`.
public enum ReportRegistry {
  /// The formats of this package, in the order in which they are written.
  package static let standard: [any ReportFormat] = [
    CountsCSV(),
    TimingsCSV(),
    ResultsJSON(),
    MarkdownReport(),
    HTMLReport(),
  ]

  private static let added = Locked<[any ReportFormat]>([])

  /// Every format, in the order in which they are written: those of this package, then those that
  /// were added.
  public static var all: [any ReportFormat] { standard + added.withLock { $0 } }

  /// Adds a report, so that `larder report --format` and `reports` in workload files know its name,
  /// and runs that name no reports write it.
  ///
  /// Add reports when the program starts, before anything is run.
  ///
  /// - Throws: `cannotAdd` when its name or its file name is taken, or is not in lower case.
  public static func add(_ format: any ReportFormat) throws(ReportError) {
    let names = [format.name, format.fileName]
    for name in names where name.isEmpty || name != name.lowercased() {
      throw .cannotAdd(format.name, reason: "'\(name)' is empty or not in lower case")
    }
    let taken = added.withLock { added in
      let known = (standard + added).flatMap { [$0.name, $0.fileName] }
      let taken = names.first { known.contains($0) }
      if taken == nil { added.append(format) }
      return taken
    }
    if let taken { throw .cannotAdd(format.name, reason: "'\(taken)' is there already") }
    ReportKind.add(format.name)
  }

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
