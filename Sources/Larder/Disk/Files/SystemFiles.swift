#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file system of the machine, through POSIX calls that are taken up again when interrupted.
package struct SystemFiles: FileLayer {
  /// The folder below which files are found by its descriptor, nil for none.
  private let root: OpenFolder?

  /// Files by their paths.
  package init() { root = nil }

  private init(root: OpenFolder) { self.root = root }

  /// See `FileLayer`.
  package func rooted(in folder: String) throws(FileFailure) -> any FileLayer {
    SystemFiles(root: try OpenFolder(folder, followsLinks: true))
  }

  /// See `FileLayer`.
  package var isInPlace: Bool { root?.isInPlace ?? true }

  /// See `FileLayer`.
  package func take(folder: String) throws(FileFailure) -> FolderLock? {
    try FolderLock.take(folder: folder, self)
  }

  /// Calls `body` with the descriptor of a folder and the name below it that a path stands for.
  func at<Result>(_ path: String, _ body: (Int32, UnsafePointer<CChar>) -> Result) -> Result {
    path.withCString { text in
      guard let root, let name = root.name(of: text) else { return body(AT_FDCWD, text) }
      return body(root.file, name)
    }
  }

  /// See `FileLayer`.
  package func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, _ target: FileTarget, syncs: Bool
  ) throws(FileFailure) {
    let file = try openForWriting(path, target)
    defer { close(file) }
    var length: off_t = 0
    if target == .existing {
      var facts = stat()
      guard fstat(file, &facts) == 0 else { throw FileFailure("ask the size", path, errno) }
      guard facts.st_mode & S_IFMT == S_IFREG else { throw FileFailure("write", path, EINVAL) }
      length = facts.st_size
    }
    try write(bytes, to: file, at: 0, path)
    // A file that is used again may be longer.
    if length > off_t(bytes.count) {
      guard ftruncate(file, off_t(bytes.count)) == 0 else {
        throw FileFailure("truncate", path, errno)
      }
    }
    if syncs { try sync(file, path) }
  }

  func openForWriting(
    _ path: String, _ target: FileTarget
  ) throws(FileFailure) -> Int32 {
    // Without waiting: to open a pipe for writing waits for a reader.
    let flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK
    guard target == .new else { return try open(path, flags) }
    do throws(FileFailure) {
      return try open(path, flags | O_CREAT | O_EXCL)
    } catch {
      guard error.number == EEXIST else { throw error }
      try removeTree(path)
      return try open(path, flags | O_CREAT | O_EXCL)
    }
  }

  /// See `FileLayer`.
  package func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure)
    -> Bool
  {
    let file = try open(path, Self.reading)
    defer { close(file) }
    return try read(file, into: buffer, path)
  }

  /// See `FileLayer`.
  package func read(
    _ name: ValueName, in folder: OpenFolder, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool {
    let file = name.withPath { openat(folder.file, $0, Self.reading | O_CLOEXEC) }
    guard file >= 0 else {
      throw FileFailure("open", "\(folder.path)/\(name.text)", errno)
    }
    defer { close(file) }
    return try read(file, into: buffer, folder.path)
  }

  /// Neither follows a link nor waits for a pipe, which cannot be read at a place in it anyway.
  static let reading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

  /// Asks for one byte more than there should be, so that the file's size need not be asked for.
  private func read(
    _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, _ path: String
  ) throws(FileFailure) -> Bool {
    var excess: UInt8 = 0
    return try withUnsafeMutablePointer(to: &excess) { (excess) throws(FileFailure) in
      var done = 0
      while true {
        var parts = (
          iovec(iov_base: buffer.baseAddress.map { $0 + done }, iov_len: buffer.count - done),
          iovec(iov_base: excess, iov_len: 1)
        )
        let count = withUnsafeMutablePointer(to: &parts) {
          $0.withMemoryRebound(to: iovec.self, capacity: 2) { preadv(file, $0, 2, off_t(done)) }
        }
        if count < 0 {
          if errno == EINTR { continue }
          throw FileFailure("read", path, errno)
        }
        done += count
        // Less than was asked for is all there is, where it is not nothing at all.
        if count == 0 || done >= buffer.count { return done == buffer.count }
      }
    }
  }

  /// See `FileLayer`.
  package func rename(_ path: String, to other: String) throws(FileFailure) {
    let answer = at(path) { folder, name in
      at(other) { renameat(folder, name, $0, $1) }
    }
    guard answer == 0 else { throw FileFailure("rename", path, errno) }
  }

  /// See `FileLayer`.
  package func syncFolder(_ path: String) throws(FileFailure) {
    let folder = try open(path, O_RDONLY)
    defer { close(folder) }
    try sync(folder, path)
  }

  /// See `FileLayer`.
  package func remove(_ path: String) throws(FileFailure) {
    guard at(path, { unlinkat($0, $1, 0) }) == 0 || errno == ENOENT else {
      throw FileFailure("remove", path, errno)
    }
  }

  /// See `FileLayer`.
  package func freeBytes(at path: String) throws(FileFailure) -> UInt64 {
    var facts = statvfs()
    let folder = try open(path, O_RDONLY)
    defer { close(folder) }
    guard fstatvfs(folder, &facts) == 0 else { throw FileFailure("ask the room", path, errno) }
    return UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
  }

  func open(_ path: String, _ flags: Int32) throws(FileFailure) -> Int32 {
    let file = at(path) { openat($0, $1, flags | O_CLOEXEC, 0o600) }
    guard file >= 0 else { throw FileFailure("open", path, errno) }
    return file
  }

  func sync(_ file: Int32, _ path: String) throws(FileFailure) {
    #if canImport(Darwin)
      // fsync on Apple's systems leaves the bytes in the drive's cache.
      if fcntl(file, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(file) == 0 else { throw FileFailure("sync", path, errno) }
  }
}
