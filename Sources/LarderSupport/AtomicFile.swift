import LarderLibc

/// A file that is there whole or not at all: written under a hidden name beside its target, flushed
/// to the disk, then renamed.
///
/// A file that is not committed leaves nothing behind. A link is followed, so it stays a link. A
/// target that exists and is no regular file (a pipe, a terminal) is written in place.
package final class AtomicFile {
  /// The path under which the file will be found.
  package let path: String
  /// How many bytes the file system has accepted.
  package private(set) var written = 0

  private let files: any FileLayer
  /// `path` with links resolved.
  private let target: String
  /// The hidden name, until the file has its own. Nil for a target that is written in place.
  private var temporary: String?
  private var descriptor: Int32?
  private var buffer: [UInt8] = []

  private static let bufferSize = 1 << 20

  /// Opens a file for writing beside `path`.
  ///
  /// - Throws: if it cannot be created, or `path` is a directory.
  package init(
    _ path: String, files: any FileLayer = SystemFiles()
  ) throws(AtomicFileError) {
    self.path = path
    self.files = files
    let kind = files.kind(of: path)
    target = kind == .file ? files.resolved(path) ?? path : path
    if kind == .directory { throw AtomicFileError(path, "write", "it is a directory") }
    do throws(FileFault) {
      if kind == .other {
        descriptor = try files.openExisting(path)
      } else {
        (temporary, descriptor) = try files.createHidden(near: target)
      }
    } catch {
      throw AtomicFileError(path, "write", error)
    }
  }

  deinit { abandon() }

  /// Checks that a file can be written at `path`, and leaves nothing there: so that work whose
  /// result could not be saved does not start. A pipe or a terminal is left alone.
  ///
  /// - Throws: as `init`.
  package static func check(
    _ path: String, files: any FileLayer = SystemFiles()
  ) throws(AtomicFileError) {
    if files.kind(of: path) == .other { return }
    try AtomicFile(path, files: files).close()
  }

  /// Adds bytes.
  ///
  /// - Throws: if the disk is full or fails; nothing is left behind then.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(AtomicFileError) {
    if buffer.count + bytes.count > Self.bufferSize { try flushBuffer() }
    if bytes.count >= Self.bufferSize {
      try step { () throws(FileFault) in try writeThrough(bytes) }
    } else {
      buffer.append(contentsOf: bytes)
    }
  }

  /// Adds bytes.
  package func write(_ bytes: [UInt8]) throws(AtomicFileError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(AtomicFileError) in try write(bytes) }
    }
    try result.get()
  }

  /// Flushes everything to the disk. The file still has its hidden name.
  package func complete() throws(AtomicFileError) {
    try flushBuffer()
    guard let descriptor else { return }
    try step { () throws(FileFault) in try files.flush(descriptor) }
    try close()
  }

  /// Gives the file its name, in place of what had it. To be called after `complete`.
  package func place() throws(AtomicFileError) {
    guard let temporary else { return }
    try step("put the finished file in place") { () throws(FileFault) in
      try files.rename(temporary, to: target)
    }
    self.temporary = nil
  }

  /// `complete` and `place`.
  package func commit() throws(AtomicFileError) {
    try complete()
    try place()
  }

  private func flushBuffer() throws(AtomicFileError) {
    if buffer.isEmpty { return }
    try step { () throws(FileFault) in
      let result = buffer.withUnsafeBytes { bytes in
        Result { () throws(FileFault) in try writeThrough(bytes) }
      }
      try result.get()
    }
    buffer.removeAll(keepingCapacity: true)
  }

  private func writeThrough(_ bytes: UnsafeRawBufferPointer) throws(FileFault) {
    guard let descriptor else { throw FileFault(code: EBADF) }
    try files.writeAll(bytes, to: descriptor) { written += $0 }
  }

  private func close() throws(AtomicFileError) {
    guard let descriptor else { return }
    self.descriptor = nil
    try step { () throws(FileFault) in try files.close(descriptor) }
  }

  /// Does a step of writing; where it fails, nothing is left behind.
  private func step(
    _ action: String = "write", _ body: () throws(FileFault) -> Void
  ) throws(AtomicFileError) {
    do throws(FileFault) {
      try body()
    } catch {
      abandon()
      throw AtomicFileError(path, action, error)
    }
  }

  private func abandon() {
    if let descriptor { try? files.close(descriptor) }
    descriptor = nil
    if let temporary { files.remove(temporary) }
    temporary = nil
  }
}

/// Why a file could not be written.
package struct AtomicFileError: Error, Hashable {
  /// The file as its caller named it.
  package let path: String
  /// What could not be done, as in "cannot ...".
  package let action: String
  /// Why, as the system says it.
  package let reason: String
  /// The system's number for the reason, where it has one.
  package let code: Int32?

  init(_ path: String, _ action: String, _ reason: String) {
    self.path = path
    self.action = action
    self.reason = reason
    code = nil
  }

  init(_ path: String, _ action: String, _ fault: FileFault) {
    self.path = path
    self.action = action
    reason = fault.reason
    code = fault.code
  }
}
