#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
