import LarderLibc

/// File system calls of `AtomicFile`. Tests replace `SystemFiles` with layers in which each call
/// fails.
package protocol FileLayer: Sendable {
  func kind(of path: String) -> FileKind

  /// The path with every link resolved; nil if nothing exists there.
  func resolved(_ path: String) -> String?

  func makeDirectory(_ path: String) throws(FileFault)

  func create(_ path: String) throws(FileFault) -> Int32

  func openExisting(_ path: String) throws(FileFault) -> Int32

  /// Writes some of `bytes` and returns their number.
  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(FileFault) -> Int

  func flush(_ descriptor: Int32) throws(FileFault)

  func close(_ descriptor: Int32) throws(FileFault)

  func rename(_ path: String, to target: String) throws(FileFault)

  func remove(_ path: String)

  func flushDirectory(_ path: String) throws(FileFault)
}

extension FileLayer {
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

  /// Creates a new file under a hidden name next to `path`, without touching existing files and
  /// links.
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

package enum FileKind: Sendable {
  case nothing
  case file
  case directory
  case other
}

package struct FileFault: Error, Hashable, Sendable {
  package let code: Int32

  package init(code: Int32) { self.code = code }
}

/// The system's file calls. Calls interrupted by a signal are repeated.
package struct SystemFiles: FileLayer {
  package init() {}

  package func kind(of path: String) -> FileKind {
    var status = stat()
    guard stat(path, &status) == 0 else { return .nothing }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .directory
    default: return .other
    }
  }

  package func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  package func makeDirectory(_ path: String) throws(FileFault) {
    try check(mkdir(path, 0o777))
  }

  package func create(_ path: String) throws(FileFault) -> Int32 {
    try repeating { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
  }

  package func openExisting(_ path: String) throws(FileFault) -> Int32 {
    try repeating { open(path, O_WRONLY | O_CLOEXEC) }
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32
  ) throws(FileFault) -> Int {
    try repeating { systemWrite(descriptor, bytes) }
  }

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

  /// Syncs all written bytes to disk. Does nothing for a device or a pipe.
  package func flush(_ descriptor: Int32) throws(FileFault) {
    do {
      _ = try repeating { fsync(descriptor) }
    } catch {
      guard error.code == EINVAL || error.code == ENOTSUP else { throw error }
    }
  }

  /// Closes a descriptor. Not repeated after a signal, because the descriptor's state is unknown
  /// then.
  package func close(_ descriptor: Int32) throws(FileFault) {
    guard systemClose(descriptor) != 0, errno != EINTR else { return }
    throw FileFault(code: errno)
  }

  package func rename(_ path: String, to target: String) throws(FileFault) {
    try check(systemRename(path, target))
  }

  package func remove(_ path: String) {
    unlink(path)
  }

  /// Syncs the names in a directory to disk if the file system supports that.
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
  package var reason: String { String(cString: strerror(code)) }
}

// System calls under names that do not clash with the methods above.

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  write(descriptor, bytes.baseAddress, bytes.count)
}

private func systemRead(_ descriptor: Int32, _ space: inout [UInt8]) -> Int {
  read(descriptor, &space, space.count)
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemRename(_ path: String, _ target: String) -> Int32 { rename(path, target) }
