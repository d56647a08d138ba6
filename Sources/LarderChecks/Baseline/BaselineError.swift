/// What is wrong with a baseline: one line, with the file and what to do.
package enum BaselineError: Error, Hashable, Sendable, CustomStringConvertible {
  /// There is none.
  case absent(file: String, command: String)
  /// It cannot be read.
  case unreadable(file: String, reason: String)
  /// It is not whole, or says what cannot be.
  case damaged(file: String, reason: String)
  /// It is JSON, and something else.
  case foreign(file: String)
  /// It has a version that this program does not know.
  case unknownVersion(file: String, found: Int, known: Int)
  /// It was made from another workload.
  case otherWorkload(file: String, found: String, expected: String)

  /// One line for a person.
  package var description: String {
    switch self {
    case .absent(let file, let command):
      "\(file): no such baseline; create it with: \(command)"
    case .unreadable(let file, let reason): "\(file): cannot be read: \(reason)"
    case .damaged(let file, let reason):
      "\(file): damaged baseline: \(reason); restore it from version control, or create it "
        + "again with --update"
    case .foreign(let file):
      "\(file): not a baseline of larder: expected JSON with \"format\": "
        + "\"\(Baseline.formatName)\""
    case .unknownVersion(let file, let found, let known):
      "\(file): has version \(found), but this larder reads version \(known); use the version "
        + "that wrote it, or create it again with --update"
    case .otherWorkload(let file, let found, let expected):
      "\(file): belongs to the workload '\(found)', not to '\(expected)'; name another baseline"
    }
  }
}
