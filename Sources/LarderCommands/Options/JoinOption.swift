import ArgumentParser
import LarderTraces

/// Whether several files are several traces or one.
struct JoinOption: ParsableArguments {
  @Flag(
    help: """
      Read all files as one trace, merged by time: a log and what it was rotated into, or the \
      logs of several servers.
      """)
  var join = false

  /// Refuses a file that is given twice.
  static func refuseRepeated(_ paths: [String]) throws {
    for (index, path) in paths.enumerated() where paths[..<index].contains(path) {
      throw ValidationError("\(path) is given twice")
    }
  }

  /// The traces that the files are.
  func references(
    _ paths: [String], _ format: FormatOption
  ) throws -> [TraceReference] {
    join ? [try format.reference(paths)] : try paths.map { try format.reference([$0]) }
  }
}
