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
