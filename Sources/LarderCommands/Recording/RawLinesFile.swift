import Foundation
import LarderSystem
import LarderTraces

/// A file of lines as they come from a server, which only its owner may read.
final class RawLinesFile {
  private let path: String
  private let file: Int32
  private var isClosed = false
  /// Lines written.
  private(set) var lines = 0

  /// Makes a file where none is.
  ///
  /// - Throws: when there is one, or it cannot be made.
  init(path: String) throws(TraceError) {
    self.path = path
    file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw TraceError(
        errno == EEXIST
          ? "exists; a recording never writes over a file"
          : "cannot be written: \(String(cString: strerror(errno)))", in: path)
    }
  }

  deinit { if !isClosed { close(file) } }

  /// Adds bytes, of as many lines as may be.
  ///
  /// - Throws: when the disk is full or fails.
  func add(_ bytes: UnsafeRawBufferPointer, linesMax: Int) throws(TraceError) {
    var end = 0
    while end < bytes.count, lines < linesMax {
      if bytes[end] == 0x0A { lines += 1 }
      end += 1
    }
    do throws(FileFault) {
      try SystemFiles().writeAll(UnsafeRawBufferPointer(rebasing: bytes[..<end]), to: file)
    } catch {
      throw TraceError(
        "writing failed: \(error.reason)", in: path,
        advice: "what was written before can be read")
    }
  }

  /// Puts everything on the disk.
  ///
  /// - Throws: as `add`.
  func finish() throws(TraceError) {
    isClosed = true
    let failed = fsync(file) != 0
    let reason = errno
    close(file)
    if failed { throw TraceError("writing failed: \(String(cString: strerror(reason)))", in: path) }
  }
}
