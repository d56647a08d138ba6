import LarderLibc

package struct SystemFiles: FileLayer {
  private let root: OpenFolder?

  package init() { root = nil }

  private init(root: OpenFolder) { self.root = root }

  package func rooted(in folder: String) throws(FileFailure) -> any FileLayer {
    SystemFiles(root: try OpenFolder(folder, followsLinks: true))
  }

  package var isInPlace: Bool { root?.isInPlace ?? true }

  package func take(folder: String) throws(FileFailure) -> FolderLock? {
    try FolderLock.take(folder: folder, self)
  }

  func at<Result>(_ path: String, _ body: (Int32, UnsafePointer<CChar>) -> Result) -> Result {
    path.withCString { text in
      guard let root, let name = root.name(of: text) else { return body(AT_FDCWD, text) }
      return body(root.file, name)
    }
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, at offset: UInt64?, _ target: FileTarget,
    syncs: Bool
  ) throws(FileFailure) {
    let file = try openForWriting(path, target)
    defer { close(file) }
    var facts = stat()
    if offset == nil, target == .existing {
      guard fstat(file, &facts) == 0 else { throw FileFailure("ask the size", path, errno) }
      guard facts.st_mode & S_IFMT == S_IFREG else { throw FileFailure("write", path, EINVAL) }
    }
    // Pipes and devices have no offsets: `pwrite` fails on them.
    try write(bytes, to: file, at: offset ?? 0, path)
    if facts.st_size > off_t(bytes.count), ftruncate(file, off_t(bytes.count)) != 0 {
      throw FileFailure("truncate", path, errno)
    }
    if syncs { try sync(file, path) }
  }

  func openForWriting(
    _ path: String, _ target: FileTarget
  ) throws(FileFailure) -> Int32 {
    // Non-blocking: opening a pipe for writing waits for a reader.
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

  package func read(
    _ path: String, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool {
    let file = try open(path, Self.reading)
    defer { close(file) }
    return try read(file, at: nil, into: buffer, path)
  }

  package func read(
    _ name: ValueName, in folder: OpenFolder, at offset: UInt64?,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool {
    let file = name.withPath { openat(folder.file, $0, Self.reading | O_CLOEXEC) }
    guard file >= 0 else { throw FileFailure("open", "\(folder.path)/\(name.text)", errno) }
    defer { close(file) }
    return try read(file, at: offset, into: buffer, folder.path)
  }

  /// Neither follows links nor blocks on pipes, which cannot be read at an offset anyway.
  static let reading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

  /// Without an offset, reads one byte more than expected, so that no call for the file's size is
  /// needed.
  private func read(
    _ file: Int32, at offset: UInt64?, into buffer: UnsafeMutableRawBufferPointer, _ path: String
  ) throws(FileFailure) -> Bool {
    var excess: UInt8 = 0
    return try withUnsafeMutablePointer(to: &excess) { (excess) throws(FileFailure) in
      var done = 0
      while true {
        var parts = (
          iovec(iov_base: buffer.baseAddress.map { $0 + done }, iov_len: buffer.count - done),
          iovec(iov_base: excess, iov_len: offset == nil ? 1 : 0)
        )
        let count = withUnsafeMutablePointer(to: &parts) {
          $0.withMemoryRebound(to: iovec.self, capacity: 2) {
            preadv(file, $0, 2, off_t(offset ?? 0) + off_t(done))
          }
        }
        if count < 0 {
          if errno == EINTR { continue }
          throw FileFailure("read", path, errno)
        }
        done += count
        // A short read is the end of the file, unless it is empty.
        if count == 0 || done >= buffer.count { return done == buffer.count }
      }
    }
  }

  package func rename(_ path: String, to other: String) throws(FileFailure) {
    let answer = at(path) { folder, name in
      at(other) { renameat(folder, name, $0, $1) }
    }
    guard answer == 0 else { throw FileFailure("rename", path, errno) }
  }

  package func syncFolder(_ path: String) throws(FileFailure) {
    let folder = try open(path, O_RDONLY)
    defer { close(folder) }
    try sync(folder, path)
  }

  package func remove(_ path: String) throws(FileFailure) {
    guard at(path, { unlinkat($0, $1, 0) }) == 0 || errno == ENOENT else {
      throw FileFailure("remove", path, errno)
    }
  }

  package func freeBytes(at path: String) throws(FileFailure) -> UInt64 {
    var facts = statvfs()
    let folder = try open(path, O_RDONLY)
    defer { close(folder) }
    guard fstatvfs(folder, &facts) == 0 else { throw FileFailure("ask the room", path, errno) }
    // Some file systems answer with the largest number.
    let (bytes, overflows) = UInt64(facts.f_bavail)
      .multipliedReportingOverflow(by: UInt64(facts.f_frsize))
    return overflows ? .max : bytes
  }

  func open(_ path: String, _ flags: Int32) throws(FileFailure) -> Int32 {
    let file = at(path) { openat($0, $1, flags | O_CLOEXEC, 0o600) }
    guard file >= 0 else { throw FileFailure("open", path, errno) }
    return file
  }

  static func end(_ file: Int32) -> Int32 { close(file) }

  func sync(_ file: Int32, _ path: String) throws(FileFailure) {
    #if canImport(Darwin)
      // fsync on Apple's systems leaves the bytes in the drive's cache.
      if fcntl(file, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(file) == 0 else { throw FileFailure("sync", path, errno) }
  }
}

/// A folder that stays open, so that files in it are found without resolving its path, even after
/// the folder was moved or replaced.
package final class OpenFolder: Sendable {
  package let path: String
  let file: Int32
  private let length: Int

  package convenience init(_ path: String, followsLinks: Bool = false) throws(FileFailure) {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    let file = open(path, flags)
    guard file >= 0 else { throw FileFailure("open", path, errno) }
    self.init(path, file: file)
  }

  package convenience init(named path: String) { self.init(path, file: -1) }

  private init(_ path: String, file: Int32) {
    self.path = path
    self.file = file
    length = path.utf8.count
  }

  deinit { if file >= 0 { close(file) } }

  package var isInPlace: Bool {
    if file < 0 { return true }
    var (own, named) = (stat(), stat())
    return stat(path, &named) == 0 && fstat(file, &own) == 0 && named.st_ino == own.st_ino
      && named.st_dev == own.st_dev
  }

  func name(of text: UnsafePointer<CChar>) -> UnsafePointer<CChar>? {
    guard path.withCString({ strncmp($0, text, length) }) == 0 else { return nil }
    switch text[length] {
    case 0: return UnsafeRawPointer(Self.itself.utf8Start).assumingMemoryBound(to: CChar.self)
    case CChar(bitPattern: UInt8(ascii: "/")): return text + length + 1
    default: return nil
    }
  }

  private static let itself: StaticString = "."
}

extension SystemFiles {
  func write(
    _ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: UInt64, _ path: String
  ) throws(FileFailure) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let written = pwrite(file, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
      if written < 0 {
        if errno == EINTR { continue }
        throw FileFailure("write", path, errno)
      }
      done += written
    }
  }

  package func rewrite(_ path: String) throws(FileFailure) {
    let file: Int32
    do throws(FileFailure) {
      file = try open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      if error.isMissing { return }
      throw error
    }
    defer { close(file) }
    try withUnsafeTemporaryAllocation(byteCount: 1 << 20, alignment: 16) {
      (part) throws(FileFailure) in
      var offset = 0
      while true {
        let count = pread(file, part.baseAddress, part.count, off_t(offset))
        if count < 0 {
          if errno == EINTR { continue }
          throw FileFailure("read", path, errno)
        }
        if count == 0 { break }
        let content = UnsafeRawBufferPointer(rebasing: part[..<count])
        try write(content, to: file, at: UInt64(offset), path)
        offset += count
      }
    }
    try sync(file, path)
  }
}

extension SystemFiles {
  package func makeFolder(_ path: String) throws(FileFailure) {
    if at(path, { mkdirat($0, $1, 0o700) }) == 0 { return }
    switch errno {
    case EEXIST:
      return
    case ENOENT:
      guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
        throw FileFailure("make the folder", path, ENOENT)
      }
      try makeFolder(String(path[..<slash]))
      guard at(path, { mkdirat($0, $1, 0o700) }) == 0 || errno == EEXIST else {
        throw FileFailure("make the folder", path, errno)
      }
    default:
      throw FileFailure("make the folder", path, errno)
    }
  }

  package func list(_ path: String) throws(FileFailure) -> [FolderItem] {
    let file: Int32
    do throws(FileFailure) {
      file = try open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    } catch {
      if error.isMissing { return [] }
      throw FileFailure("list", path, error.number)
    }
    guard let folder = fdopendir(file) else {
      let number = errno
      close(file)
      throw FileFailure("list", path, number)
    }
    defer { closedir(folder) }
    var items: [FolderItem] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name == "." || name == ".." { continue }
      let kind: FileKind =
        switch Int32(entry.pointee.d_type) {
        case Int32(DT_REG): .file
        case Int32(DT_DIR): .folder
        // Not every file system provides the type here.
        case Int32(DT_UNKNOWN): try self.kind("\(path)/\(name)")
        default: .other
        }
      items.append(FolderItem(name: name, kind: kind))
    }
    return items
  }

  package func kind(_ path: String) throws(FileFailure) -> FileKind {
    var facts = stat()
    guard at(path, { fstatat($0, $1, &facts, AT_SYMLINK_NOFOLLOW) }) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return .missing }
      throw FileFailure("ask the kind", path, errno)
    }
    switch facts.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder
    default: return .other
    }
  }

  package func removeFolder(_ path: String) throws(FileFailure) {
    guard at(path, { unlinkat($0, $1, AT_REMOVEDIR) }) == 0 || errno == ENOENT else {
      throw FileFailure("remove", path, errno)
    }
  }

  package func exposure(_ path: String) throws(FileFailure) -> DiskCacheError? {
    var facts = stat()
    guard at(path, { fstatat($0, $1, &facts, 0) }) == 0 else {
      if errno == ENOENT { return nil }
      throw FileFailure("ask the owner", path, errno)
    }
    if facts.st_uid != geteuid() { return .otherOwner(path: path, user: facts.st_uid) }
    // In a sticky folder others cannot replace files, which are checked themselves.
    let isSticky = facts.st_mode & S_IFMT == S_IFDIR && facts.st_mode & S_ISVTX != 0
    let mode = UInt32(facts.st_mode & 0o777)
    return mode & 0o022 == 0 || isSticky ? nil : .writableByOthers(path: path, mode: mode)
  }

  package func makePrivateFile(_ path: String) throws(FileFailure) {
    do throws(FileFailure) {
      close(try open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW))
    } catch {
      guard error.number == EEXIST else { throw error }
    }
    // Not opened: closing it would release the locks of another connection in this process.
    var facts = stat()
    guard at(path, { fstatat($0, $1, &facts, AT_SYMLINK_NOFOLLOW) }) == 0 else {
      throw FileFailure("ask the kind", path, errno)
    }
    guard facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o077 != 0 else { return }
    guard at(path, { fchmodat($0, $1, 0o600, 0) }) == 0 else {
      throw FileFailure("make private", path, errno)
    }
  }

  package func size(_ path: String) throws(FileFailure) -> UInt64 {
    var facts = stat()
    guard at(path, { fstatat($0, $1, &facts, AT_SYMLINK_NOFOLLOW) }) == 0 else {
      if errno == ENOENT { return 0 }
      throw FileFailure("ask the size", path, errno)
    }
    return UInt64(facts.st_size)
  }
}
