import Foundation
import LarderEngine
import LarderExperiments
import LarderSupport

/// All report formats, by name. A format of this package is a file in `Formats/` and a line in
/// `standard`; other packages register theirs with `add`.
public enum ReportRegistry {
  package static let standard: [any ReportFormat] = [
    CountsCSV(),
    TimingsCSV(),
    ResultsJSON(),
    MarkdownReport(),
    HTMLReport(),
  ]

  private static let added = Locked<[any ReportFormat]>([])

  /// All formats, in the order in which they are written: first those of this package, then
  /// registered ones.
  public static var all: [any ReportFormat] { standard + added.withLock { $0 } }

  /// Registers a report format, so that `larder report --export` and `reports` in workload files
  /// accept its name, and runs without a list of reports write it.
  ///
  /// Register formats at program start, before anything is run.
  ///
  /// - Throws: `cannotAdd` if its name or file name is taken, or is not in lower case.
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
    if let taken { throw .cannotAdd(format.name, reason: "'\(taken)' is already registered") }
    ReportKind.add(format.name)
  }

  /// The names of all formats, in order.
  public static var names: [String] { all.map(\.name) }

  /// Returns the format with this name or file name.
  ///
  /// - Throws: `ReportError.unknownFormat` with the known names.
  public static func format(named name: String) throws(ReportError) -> any ReportFormat {
    let wanted = name.lowercased()
    for format in all where format.name == wanted || format.fileName == wanted {
      return format
    }
    throw .unknownFormat(name, known: names)
  }
}

/// A way to write results to a file.
///
/// A format is one self-contained file in `Formats/` and one line in `ReportRegistry`, or a type of
/// another package that is registered with `ReportRegistry.add`. It is pure: equal results give
/// equal text, and it reads nothing else.
public protocol ReportFormat: Sendable {
  /// The name that users type, such as `counts`.
  var name: String { get }

  /// The name of the file that a run writes, such as `counts.csv`.
  var fileName: String { get }

  /// Returns the whole text of the file. Linear in the number of records.
  ///
  /// - Throws: `ReportError` if the results contain something that the format cannot express.
  func text(of results: RunResults) throws(ReportError) -> String

  /// Returns all files that a run writes: `fileName` and its companions, such as charts.
  ///
  /// - Throws: `ReportError` if the results contain something that the format cannot express.
  func files(of results: RunResults) throws(ReportError) -> [ReportFile]
}

extension ReportFormat {
  /// Returns `fileName` alone by default.
  public func files(of results: RunResults) throws(ReportError) -> [ReportFile] {
    [ReportFile(name: fileName, text: try text(of: results))]
  }
}

/// A file of a report.
public struct ReportFile: Sendable, Hashable {
  /// The path relative to the folder of the report.
  public var name: String
  /// The contents of the file.
  public var text: String

  /// Creates a file; its folder is created when it is written.
  public init(name: String, text: String) {
    self.name = name
    self.text = text
  }
}

/// An error in making, writing or reading a report.
public enum ReportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No format has this name.
  case unknownFormat(String, known: [String])
  /// The report format cannot be registered.
  case cannotAdd(String, reason: String)
  /// The results contain something that the format cannot express.
  case notExpressible(format: String, reason: String)
  /// A file or folder could not be created, written or renamed.
  case file(path: String, action: String, reason: String)
  /// The file is not a results file, or it is damaged.
  case damaged(name: String, reason: String)
  /// The results file has a version that this program does not know.
  case unknownVersion(name: String, found: Int, known: Int)

  /// The system's reason, or the whole description.
  package var reason: String {
    if case .file(_, _, let reason) = self { reason } else { description }
  }

  /// A one-line description for users.
  public var description: String {
    switch self {
    case .unknownFormat(let name, let known):
      return "unknown report '\(name)'; known are \(known.joined(separator: ", "))"
    case .cannotAdd(let name, let reason):
      return "cannot add the report '\(name)': \(reason)"
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

/// The complete results of a run as JSON with sorted keys; see `docs/results.schema.json`. Whole
/// numbers are written in full: seeds and counts may exceed 2^53.
package struct ResultsJSON: ReportFormat {
  package let name = "json"
  package let fileName = "results.json"

  package init() {}

  package func text(of results: RunResults) throws(ReportError) -> String {
    try Self.text(of: results, format: name)
  }

  static func text(
    of value: some Encodable, format: String, isPretty: Bool = true
  ) throws(ReportError) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if isPretty { encoder.outputFormatting.insert(.prettyPrinted) }
    do {
      return JSONLine.printable(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
    } catch let EncodingError.invalidValue(value, context) {
      let path = JSONFile.path(context.codingPath)
      throw .notExpressible(format: format, reason: "\(path) is \(value), which is not valid JSON")
    } catch {
      throw .notExpressible(format: format, reason: "\(error)")
    }
  }
}
