#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is there whole or not at all: written under another name, synced, then renamed.
///
/// What is not committed leaves nothing behind. A target that is there and is no regular file (a
/// pipe, a terminal) is written in place.
package final class OutputFile {
  /// The path under which the file will be found.
  package let path: String

  private let calls: FileCalls
  private let temporary: String?
  private var descriptor: Int32
  private var written = 0
  private var buffer: [UInt8] = []

  private static let bufferSize = 1 << 20

  /// Opens a file for writing beside `path`.
  ///
  /// - Throws: when it cannot be created, or `path` is a directory.
  package convenience init(path: String) throws(TraceError) {
    try self.init(path: path, calls: .system)
  }

  /// Tries whether a file can be written at `path`, and leaves nothing there: so that work whose
  /// result could not be kept is not begun. What is no regular file is left alone.
  ///
  /// - Throws: as `init(path:)`.
  package static func check(_ path: String) throws(TraceError) {
    var status = stat()
    let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : S_IFREG
    if kind == S_IFREG || kind == S_IFDIR { _ = try OutputFile(path: path) }
  }

  /// As `init(path:)`, with system calls that a test can make fail.
  init(path: String, calls: FileCalls) throws(TraceError) {
    self.path = path
    self.calls = calls
    var status = stat()
    let exists = stat(path, &status) == 0
    let kind = status.st_mode & S_IFMT
    if exists && kind == S_IFDIR {
      temporary = nil
      descriptor = -1
      throw TraceError("is a directory", in: path, advice: "give a file name")
    }
    if exists && kind != S_IFREG {
      temporary = nil
      descriptor = open(path, O_WRONLY | O_CLOEXEC)
    } else {
      (temporary, descriptor) = Self.create(near: path)
    }
    if descriptor < 0 { throw TraceError("cannot be written: \(SystemError.last)", in: path) }
    buffer.reserveCapacity(OutputFile.bufferSize)
  }

  deinit { abandon() }

  /// Makes a new file beside `path`: its name and descriptor, which is below zero when it cannot be
  /// made. A file that an earlier process left, or a link that somebody placed, is not touched.
  private static func create(near path: String) -> (String, Int32) {
    var attempt = 0
    while true {
      let name = "\(path).partial-\(getpid())" + (attempt == 0 ? "" : "-\(attempt)")
      let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
      attempt += 1
      if descriptor >= 0 || errno != EEXIST || attempt == 1000 { return (name, descriptor) }
    }
  }

  /// Adds bytes.
  ///
  /// - Throws: when the disk is full or fails; nothing is left behind then.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(TraceError) {
    if buffer.count + bytes.count > OutputFile.bufferSize { try flush() }
    if bytes.count >= OutputFile.bufferSize {
      try writeThrough(bytes)
    } else {
      buffer.append(contentsOf: bytes)
    }
  }

  /// Adds bytes.
  package func write(_ bytes: [UInt8]) throws(TraceError) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(TraceError) in try write(bytes) }
    }
    try result.get()
  }

  /// Makes the file what `path` names, with all its bytes on the disk.
  package func commit() throws(TraceError) {
    try flush()
    guard let temporary else {
      let result = close(descriptor)
      descriptor = -1
      if result != 0 { throw failure(.last) }
      return
    }
    if calls.sync(descriptor) != 0 { throw failure(.last) }
    let result = close(descriptor)
    descriptor = -1
    if result != 0 || rename(temporary, path) != 0 {
      let reason = SystemError.last
      unlink(temporary)
      throw failure(reason)
    }
  }

  private func flush() throws(TraceError) {
    guard !buffer.isEmpty else { return }
    let result = buffer.withUnsafeBytes { bytes in
      Result { () throws(TraceError) in try writeThrough(bytes) }
    }
    try result.get()
    buffer.removeAll(keepingCapacity: true)
  }

  private func writeThrough(_ bytes: UnsafeRawBufferPointer) throws(TraceError) {
    var rest = bytes
    while rest.count > 0 {
      let count = calls.write(descriptor, rest)
      if count > 0 {
        written += count
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      } else if count == 0 || errno != EINTR {
        throw failure(count == 0 ? SystemError(code: EIO) : .last)
      }
    }
  }

  private func failure(_ reason: SystemError) -> TraceError {
    abandon()
    return TraceError(
      "writing failed: \(reason)", in: path, at: .byte(written),
      advice: reason.code == ENOSPC ? "free disk space; no partial file was left" : nil)
  }

  private func abandon() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
    if let temporary { unlink(temporary) }
  }
}

/// The system calls that write a file, so that tests can make them fail.
struct FileCalls: Sendable {
  /// As write(2).
  var write: @Sendable (Int32, UnsafeRawBufferPointer) -> Int
  /// As fsync(2).
  var sync: @Sendable (Int32) -> Int32

  /// The real ones.
  static let system = FileCalls(
    write: { descriptor, bytes in
      #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
      #endif
    },
    sync: { fsync($0) })
}
