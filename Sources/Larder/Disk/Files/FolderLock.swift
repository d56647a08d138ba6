#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Says to other processes that a folder has an owner. The system gives it back when the process
/// ends, however it ends.
package final class FolderLock {
  private let release: () -> Void

  /// A lock that `release` gives up.
  package init(_ release: @escaping () -> Void) { self.release = release }

  private convenience init(file: Int32) {
    self.init {
      // Closing is not enough: a process that is just being spawned may still have the file.
      flock(file, LOCK_UN)
      close(file)
    }
  }

  deinit { release() }

  /// Takes the folder, or returns nil when another cache has it, in this process or another.
  static func take(folder: String) throws(FileFailure) -> FolderLock? {
    let path = folder + "/lock"
    if let file = try openLock(path) { return try take(file, path) }
    // No regular file has the name, so nobody has the folder by it. Who removes that does it while
    // holding the folder itself: two at once could otherwise remove each other's lock.
    let owner = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard owner >= 0 else { throw FileFailure("open", folder, errno) }
    defer {
      flock(owner, LOCK_UN)
      close(owner)
    }
    guard flock(owner, LOCK_EX) == 0 else { throw FileFailure("lock", folder, errno) }
    if let file = try openLock(path) { return try take(file, path) }
    try SystemFiles().removeTree(path)
    guard let file = try openLock(path) else { throw FileFailure("lock", path, EINVAL) }
    return try take(file, path)
  }

  private static func take(_ file: Int32, _ path: String) throws(FileFailure) -> FolderLock? {
    if flock(file, LOCK_EX | LOCK_NB) == 0 { return FolderLock(file: file) }
    let number = errno
    close(file)
    if number == EWOULDBLOCK { return nil }
    throw FileFailure("lock", path, number)
  }

  /// Opens or makes the file; nil where the name stands for something else.
  private static func openLock(_ path: String) throws(FileFailure) -> Int32? {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let file = open(path, flags, 0o600)
    guard file >= 0 else {
      let failure = FileFailure("open", path, errno)
      if failure.isNoFile, !failure.isMissing { return nil }
      throw failure
    }
    var facts = stat()
    if fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG { return file }
    close(file)
    return nil
  }
}
