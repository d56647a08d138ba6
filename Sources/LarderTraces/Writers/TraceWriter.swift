import LarderEngine
import LarderLibc
package import LarderSupport

/// A format that prepared traces can be written in.
///
/// To add one, add a file in `Writers/` and a line in `TraceWriterRegistry.all`.
public protocol TraceWriter: Sendable {
  /// Name of the format, also for reading.
  var name: String { get }
  /// Summary of the stored columns in one line.
  var summary: String { get }
  /// Columns that the format stores, in addition to the ids.
  var columns: TraceColumns { get }
  /// Writes a trace, atomically: the file is complete or missing.
  ///
  /// - Throws: when the format cannot represent the trace, or the file cannot be written.
  func write(_ trace: PreparedTrace, to path: String) throws(TraceError)
}

/// All formats that traces can be written in.
public enum TraceWriterRegistry {
  /// All writers, in the order of lists.
  public static let all: [any TraceWriter] = [LarderWriter(), CsvWriter(), OracleGeneralWriter()]

  /// Returns the writer called `name`.
  ///
  /// - Throws: for an unknown name; the error lists the known ones.
  public static func writer(named name: String) throws(ComponentError) -> any TraceWriter {
    for writer in all where writer.name == name { return writer }
    throw ComponentError(
      component: name, parameter: nil,
      message: "cannot write this format; expected one of "
        + "\(all.map(\.name).joined(separator: ", "))")
  }

  /// Writer for a file name's suffix; nil for an unknown suffix.
  public static func writer(forPath path: String) -> (any TraceWriter)? {
    let name = path.lowercased()
    return all.first { writer in
      guard let format = try? FormatRegistry.format(named: writer.name) else { return false }
      return format.description.suffixes.contains { name.hasSuffix($0) }
    }
  }
}

/// An `AtomicFile` that throws trace errors, with the offset at which writing failed.
package struct OutputFile {
  private let file: AtomicFile

  package init(path: String, files: any FileLayer = SystemFiles()) throws(TraceError) {
    do throws(AtomicFileError) {
      file = try AtomicFile(path, files: files)
    } catch {
      throw Self.error(error)
    }
  }

  package static func check(_ path: String) throws(TraceError) {
    do throws(AtomicFileError) {
      try AtomicFile.check(path)
    } catch {
      throw Self.error(error)
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(TraceError) {
    try step { () throws(AtomicFileError) in try file.write(bytes) }
  }

  package func write(_ bytes: [UInt8]) throws(TraceError) {
    try step { () throws(AtomicFileError) in try file.write(bytes) }
  }

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
