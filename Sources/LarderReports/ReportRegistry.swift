import LarderEngine
import LarderExperiments

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

/// Why a report could not be made, written or read.
public enum ReportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No format has this name.
  case unknownFormat(String, known: [String])
  /// The report cannot be added to the registry.
  case cannotAdd(String, reason: String)
  /// The results hold something that the format cannot express.
  case notExpressible(format: String, reason: String)
  /// A file or directory could not be made, written or put in its place.
  case file(path: String, action: String, reason: String)
  /// What was read is not a results file, or not an undamaged one.
  case damaged(name: String, reason: String)
  /// The results file has a version that this program does not know.
  case unknownVersion(name: String, found: Int, known: Int)

  /// One line for a person.
  public var description: String {
    switch self {
    case .unknownFormat(let name, let known):
      return "unknown report '\(name)'; known are \(known.joined(separator: ", "))"
    case .cannotAdd(let name, let reason):
      return "the report '\(name)' cannot be added: \(reason)"
    case .notExpressible(let format, let reason):
      return "cannot make the report '\(format)': \(reason)"
    case .file(let path, let action, let reason):
      return "\(path): cannot \(action): \(reason)"
    case .damaged(let name, let reason):
      return "\(name): not a readable results file: \(reason)"
    case .unknownVersion(let name, let found, let known):
      return "\(name): has schema version \(found), but this larder reads version \(known); "
        + "use the version that wrote it, or run the workload again"
    }
  }
}
