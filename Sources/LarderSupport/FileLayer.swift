import LarderLibc

/// What `AtomicFile` needs of the file system. Each can fail, and each has a test
/// in which it does: tests put a layer that fails in the place of `SystemFiles`.
package protocol FileLayer: Sendable {
  /// What stands at `path`, links followed.
  func kind(of path: String) -> FileKind

  /// The path with every link resolved, or nil when nothing stands there.
  func resolved(_ path: String) -> String?

  /// Makes a directory. One that is there already is an error like any other.
  func makeDirectory(_ path: String) throws(FileFault)

  /// Makes a file that is not there yet and opens it for reading and writing.
  func create(_ path: String) throws(FileFault) -> Int32

  /// Opens what is there for writing: a device or a pipe.
  func openExisting(_ path: String) throws(FileFault) -> Int32

  /// Writes some of `bytes`, and returns how many.
  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(FileFault) -> Int

  /// Has everything written reach the disk.
  func flush(_ descriptor: Int32) throws(FileFault)

  /// Closes. Whether it fails or not, the descriptor is gone.
  func close(_ descriptor: Int32) throws(FileFault)

  /// Puts the file at `path` in the place of what is at `target`, in one step.
  func rename(_ path: String, to target: String) throws(FileFault)

  /// Removes a file, if it can.
  func remove(_ path: String)

  /// Has the names in a directory reach the disk.
  func flushDirectory(_ path: String) throws(FileFault)
}

extension FileLayer {
  /// Writes all of `bytes`, and says after each part how long it was.
  ///
  /// - Throws: also where the system accepts nothing without an error, instead of trying for ever.
  package func writeAll(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, wrote: (Int) -> Void = { _ in }
  ) throws(FileFault) {
    var rest = bytes
    while rest.count > 0 {
      let count = try write(rest, to: descriptor)
      if count <= 0 { throw FileFault(code: EIO) }
      wrote(count)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Makes a new file under a hidden name beside `path`. A file that an earlier process left, or a
  /// link that somebody placed, is not touched.
  package func createHidden(
    near path: String
  ) throws(FileFault) -> (path: String, descriptor: Int32) {
    let slash = path.lastIndex(of: "/")
    let folder = slash.map { path[...$0] } ?? ""
    let name = slash.map { path[path.index(after: $0)...] } ?? path[...]
    var attempt = 0
    while true {
      let temporary = "\(folder).\(name).\(getpid())-\(attempt).partial"
      do throws(FileFault) {
        return (temporary, try create(temporary))
      } catch {
        attempt += 1
        guard error.code == EEXIST, attempt < 1000 else { throw error }
      }
    }
  }
}

/// What stands at a path.
package enum FileKind: Sendable {
  /// Nothing.
  case nothing
  /// A regular file.
  case file
  /// A directory.
  case directory
  /// A device, pipe or socket.
  case other
}

/// An error of the system.
package struct FileFault: Error, Hashable, Sendable {
  /// The system's number for it, such as `ENOSPC`.
  package let code: Int32

  /// An error with the system's number for it.
  package init(code: Int32) { self.code = code }
}

/// The system's own files. A call that a signal interrupts is repeated.
package struct SystemFiles: FileLayer {
  /// The layer has no state.
  package init() {}

  /// What stands at `path`, links followed.
  package func kind(of path: String) -> FileKind {
    var status = stat()
    guard stat(path, &status) == 0 else { return .nothing }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .directory
    default: return .other
    }
  }

  /// The path with every link resolved, or nil when nothing stands there.
  package func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// Makes a directory that everyone may read.
  package func makeDirectory(_ path: String) throws(FileFault) {
    try check(mkdir(path, 0o777))
  }

  /// Makes a file that is not there yet and opens it for reading and writing.
  package func create(_ path: String) throws(FileFault) -> Int32 {
    try repeating { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
  }

  /// Opens what is there for writing.
  package func openExisting(_ path: String) throws(FileFault) -> Int32 {
    try repeating { open(path, O_WRONLY | O_CLOEXEC) }
  }

  /// Writes some of `bytes`, and returns how many.
  package func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) throws(FileFault) -> Int {
    try repeating { systemWrite(descriptor, bytes) }
  }

  /// The first bytes of a file, up to `most`.
  package func read(_ path: String, most: Int) throws(FileFault) -> [UInt8] {
    let descriptor = try repeating { open(path, O_RDONLY | O_CLOEXEC) }
    defer { _ = systemClose(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: min(max(1, most), 1 << 16))
    while bytes.count < most {
      let count = try repeating { systemRead(descriptor, &part) }
      if count == 0 { break }
      bytes += part.prefix(min(count, most - bytes.count))
    }
    return bytes
  }

  /// Has everything written reach the disk. A device or a pipe has no disk, which is no error.
  package func flush(_ descriptor: Int32) throws(FileFault) {
    do {
      _ = try repeating { fsync(descriptor) }
    } catch {
      guard error.code == EINVAL || error.code == ENOTSUP else { throw error }
    }
  }

  /// Closes. After a signal the descriptor's state is unknown, so closing is not repeated.
  package func close(_ descriptor: Int32) throws(FileFault) {
    guard systemClose(descriptor) != 0, errno != EINTR else { return }
    throw FileFault(code: errno)
  }

  /// Puts the file at `path` in the place of what is at `target`, in one step.
  package func rename(_ path: String, to target: String) throws(FileFault) {
    try check(systemRename(path, target))
  }

  /// Removes a file, if it can.
  package func remove(_ path: String) {
    unlink(path)
  }

  /// Has the names in a directory reach the disk, where the file system can do that.
  package func flushDirectory(_ path: String) throws(FileFault) {
    let descriptor = try repeating { open(path, O_RDONLY | O_CLOEXEC) }
    defer { _ = systemClose(descriptor) }
    try flush(descriptor)
  }

  private func check(_ result: Int32) throws(FileFault) {
    guard result == 0 else { throw FileFault(code: errno) }
  }

  private func repeating<Result: SignedInteger>(
    _ call: () -> Result
  ) throws(FileFault) -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      guard errno == EINTR else { throw FileFault(code: errno) }
    }
  }
}

extension FileFault {
  /// The system's sentence for it.
  package var reason: String { String(cString: strerror(code)) }
}

// The system's functions under names that do not clash with the methods above.

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemRead(_ descriptor: Int32, _ space: inout [UInt8]) -> Int {
  read(descriptor, &space, space.count)
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemRename(_ path: String, _ target: String) -> Int32 { rename(path, target) }
