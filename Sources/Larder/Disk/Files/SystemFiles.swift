#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The file system of the machine, through POSIX calls that are taken up again when interrupted.
package struct SystemFiles: FileLayer {
  /// The file system has no state here.
  package init() {}

  /// See `FileLayer`.
  package func makeFolder(_ path: String) throws(FileFailure) {
    if mkdir(path, 0o700) == 0 { return }
    switch errno {
    case EEXIST:
      return
    case ENOENT:
      guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else {
        throw FileFailure("make the folder", path, ENOENT)
      }
      try makeFolder(String(path[..<slash]))
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw FileFailure("make the folder", path, errno)
      }
    default:
      throw FileFailure("make the folder", path, errno)
    }
  }

  /// See `FileLayer`.
  package func list(_ path: String) throws(FileFailure) -> [String] {
    guard let folder = opendir(path) else {
      if errno == ENOENT { return [] }
      throw FileFailure("list", path, errno)
    }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// See `FileLayer`.
  package func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, syncs: Bool
  ) throws(FileFailure) {
    let file = try open(path, O_WRONLY | O_CREAT)
    defer { close(file) }
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let written = pwrite(file, rest.baseAddress, rest.count, off_t(done))
      if written < 0 {
        if errno == EINTR { continue }
        throw FileFailure("write", path, errno)
      }
      done += written
    }
    // A file that is used again may be longer.
    let length = lseek(file, 0, SEEK_END)
    if length != off_t(bytes.count) {
      guard ftruncate(file, off_t(bytes.count)) == 0 else {
        throw FileFailure("truncate", path, errno)
      }
    }
    if syncs { try sync(file, path) }
  }

  /// See `FileLayer`.
  package func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure)
    -> Bool
  {
    let file = try open(path, O_RDONLY)
    defer { close(file) }
    return try read(file, into: buffer, path)
  }

  /// See `FileLayer`.
  package func read(
    _ name: ValueName, in folder: OpenFolder, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool {
    let file = name.withPath { openat(folder.file, $0, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else {
      throw FileFailure("open", "\(folder.path)/\(name.text)", errno)
    }
    defer { close(file) }
    return try read(file, into: buffer, folder.path)
  }

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
    #if canImport(Darwin)
      let answer = Darwin.rename(path, other)
    #elseif canImport(Musl)
      let answer = Musl.rename(path, other)
    #else
      let answer = Glibc.rename(path, other)
    #endif
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
    guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure("remove", path, errno) }
  }

  /// See `FileLayer`.
  package func size(_ path: String) throws(FileFailure) -> UInt64 {
    var facts = stat()
    guard stat(path, &facts) == 0 else {
      if errno == ENOENT { return 0 }
      throw FileFailure("ask the size", path, errno)
    }
    return UInt64(facts.st_size)
  }

  /// See `FileLayer`.
  package func freeBytes(at path: String) throws(FileFailure) -> UInt64 {
    var facts = statvfs()
    guard statvfs(path, &facts) == 0 else { throw FileFailure("ask the room", path, errno) }
    return UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
  }

  private func open(_ path: String, _ flags: Int32) throws(FileFailure) -> Int32 {
    #if canImport(Darwin)
      let file = Darwin.open(path, flags | O_CLOEXEC, 0o600)
    #elseif canImport(Musl)
      let file = Musl.open(path, flags | O_CLOEXEC, 0o600)
    #else
      let file = Glibc.open(path, flags | O_CLOEXEC, 0o600)
    #endif
    guard file >= 0 else { throw FileFailure("open", path, errno) }
    return file
  }

  private func sync(_ file: Int32, _ path: String) throws(FileFailure) {
    #if canImport(Darwin)
      // fsync on Apple's systems leaves the bytes in the drive's cache.
      if fcntl(file, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(file) == 0 else { throw FileFailure("sync", path, errno) }
  }
}
