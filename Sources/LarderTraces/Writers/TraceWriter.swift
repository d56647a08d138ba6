import LarderLibc
package import LarderSupport

/// A format that a prepared trace can be written in.
///
/// Adding one is a file in `Writers/` and a line in `TraceWriterRegistry.all`.
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

/// An `AtomicFile` whose errors are those of traces: with the place up to which the file was
/// written.
package struct OutputFile {
  private let file: AtomicFile

  /// Opens a file for writing beside `path`.
  ///
  /// - Throws: if it cannot be created, or `path` is a directory.
  package init(path: String, files: any FileLayer = SystemFiles()) throws(TraceError) {
    do throws(AtomicFileError) {
      file = try AtomicFile(path, files: files)
    } catch {
      throw Self.error(error)
    }
  }

  /// Checks that a file can be written at `path`: see `AtomicFile.check`.
  package static func check(_ path: String) throws(TraceError) {
    do throws(AtomicFileError) {
      try AtomicFile.check(path)
    } catch {
      throw Self.error(error)
    }
  }

  /// Adds bytes.
  ///
  /// - Throws: if the disk is full or fails; nothing is left behind then.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(TraceError) {
    try step { () throws(AtomicFileError) in try file.write(bytes) }
  }

  /// Adds bytes.
  package func write(_ bytes: [UInt8]) throws(TraceError) {
    try step { () throws(AtomicFileError) in try file.write(bytes) }
  }

  /// Makes the file what its path names, with all its bytes on the disk.
  package func commit() throws(TraceError) {
    try step { () throws(AtomicFileError) in try file.commit() }
  }

  private func step(_ body: () throws(AtomicFileError) -> Void) throws(TraceError) {
    do throws(AtomicFileError) {
      try body()
    } catch {
      throw TraceError(
        "writing failed: \(error.reason)", in: error.path, at: .byte(file.written),
        advice: error.code == ENOSPC ? "free disk space; no partial file was left" : nil)
    }
  }

  private static func error(_ error: AtomicFileError) -> TraceError {
    TraceError("cannot be written: \(error.reason)", in: error.path)
  }
}
