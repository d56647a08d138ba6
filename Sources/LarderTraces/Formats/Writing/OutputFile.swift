package import LarderSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
