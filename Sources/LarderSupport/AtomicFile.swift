import LarderLibc

/// A file that is written completely or not at all: under a hidden name next to its target, synced
/// to disk, then renamed.
///
/// An uncommitted file leaves nothing behind. Links to files are followed and kept. An existing
/// target that is not a regular file (a pipe, a terminal) is written in place.
package final class AtomicFile {
  package let path: String
  package private(set) var written = 0

  private let files: any FileLayer
  private let target: String
  /// The hidden name until the file is renamed. Nil for a target that is written in place.
  private var temporary: String?
  private var descriptor: Int32?
  private var buffer: [UInt8] = []

  private static let bufferSize = 1 << 20

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

  /// Checks that a file can be written at `path`, without leaving one, so that work whose result
  /// cannot be saved does not start. Does nothing for a pipe or a terminal.
  ///
  /// - Throws: if the file cannot be created, or `path` is a directory.
  package static func check(
    _ path: String, files: any FileLayer = SystemFiles()
  ) throws(AtomicFileError) {
    if files.kind(of: path) == .other { return }
    try AtomicFile(path, files: files).close()
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(AtomicFileError) {
    if buffer.count + bytes.count > Self.bufferSize { try flushBuffer() }
    if bytes.count >= Self.bufferSize {
      try step { () throws(FileFault) in try writeThrough(bytes) }
    } else {
      buffer.append(contentsOf: bytes)
    }
  }

  package func write(_ bytes: [UInt8]) throws(AtomicFileError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(AtomicFileError) in try write(bytes) }
    }
    try result.get()
  }

  package func complete() throws(AtomicFileError) {
    try flushBuffer()
    guard let descriptor else { return }
    try step { () throws(FileFault) in try files.flush(descriptor) }
    try close()
  }

  /// Renames the file to its path, replacing an existing file. Call it after `complete`.
  package func place() throws(AtomicFileError) {
    guard let temporary else { return }
    try step("put the finished file in place") { () throws(FileFault) in
      try files.rename(temporary, to: target)
    }
    self.temporary = nil
  }

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

/// An error that kept a file from being written.
package struct AtomicFileError: Error, Hashable {
  package let path: String
  package let action: String
  package let reason: String
  package let code: Int32?

  init(_ path: String, _ action: String, _ reason: String, code: Int32? = nil) {
    self.path = path
    self.action = action
    self.reason = reason
    self.code = code
  }

  init(_ path: String, _ action: String, _ fault: FileFault) {
    self.init(path, action, fault.reason, code: fault.code)
  }
}
