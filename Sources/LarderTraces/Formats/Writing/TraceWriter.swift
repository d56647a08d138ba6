/// A format that a prepared trace can be written in.
///
/// Adding one is a file in `Formats/Writing/` and a line in `TraceWriterRegistry.all`.
public protocol TraceWriter: Sendable {
  /// The format's name, which is also that under which it is read again.
  var name: String { get }
  /// One line: what it keeps.
  var summary: String { get }
  /// The columns that it keeps, beside the ids.
  var columns: TraceColumns { get }
  /// Writes a trace. The file is there whole or not at all.
  ///
  /// - Throws: when the trace cannot be written in this format, or the file cannot be written.
  func write(_ trace: PreparedTrace, to path: String) throws(TraceError)
}

/// All formats that traces can be written in.
public enum TraceWriterRegistry {
  /// Every writer, in the order in which lists show them.
  public static let all: [any TraceWriter] = [LarderWriter(), CsvWriter(), OracleGeneralWriter()]

  /// The writer called `name`.
  ///
  /// - Throws: when there is none, with the names there are.
  public static func writer(named name: String) throws(ComponentError) -> any TraceWriter {
    for writer in all where writer.name == name { return writer }
    throw ComponentError(
      component: name, parameter: nil,
      message: "cannot write this format; known are \(all.map(\.name).joined(separator: ", "))")
  }

  /// The writer for a file name's ending, nil when it is none that we write.
  public static func writer(forPath path: String) -> (any TraceWriter)? {
    let name = path.lowercased()
    return all.first { writer in
      guard let format = try? FormatRegistry.format(named: writer.name) else { return false }
      return format.description.suffixes.contains { name.hasSuffix($0) }
    }
  }
}
