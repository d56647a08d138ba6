import LarderLibc

/// A lock that marks a folder as used by this process. The system releases it when the process
/// ends, however it ends.
package final class FolderLock {
  private let release: () -> Void
  private let isNamed: () -> Bool

  /// Creates a lock that `release` releases. `isNamed` returns true while its file still has a
  /// name: without one it excludes nobody.
  package init(isNamed: @escaping () -> Bool = { true }, _ release: @escaping () -> Void) {
    self.isNamed = isNamed
    self.release = release
  }

  private convenience init(file: Int32) {
    self.init(
      isNamed: {
        var facts = stat()
        return fstat(file, &facts) == 0 && facts.st_nlink > 0
      },
      {
        // Closing is not enough: a child process that is just being spawned may still have the file
        // open.
        flock(file, LOCK_UN)
        close(file)
      })
  }

  deinit { release() }

  package var isHeld: Bool { isNamed() }

  static func take(folder: String, _ files: SystemFiles) throws(FileFailure) -> FolderLock? {
    // A lock whose file was removed before it was locked excludes nobody.
    for _ in 0..<100 {
      guard let lock = try takeOnce(folder: folder, files) else { return nil }
      if lock.isHeld { return lock }
    }
    throw FileFailure("lock", folder + "/lock", ENOENT)
  }

  private static func takeOnce(
    folder: String, _ files: SystemFiles
  ) throws(FileFailure) -> FolderLock? {
    let path = folder + "/lock"
    if let file = try openLock(path, files) { return try take(file, path) }
    // The name is not a regular file, so it locks nothing. Remove it while holding the folder
    // itself: otherwise two processes could remove each other's lock.
    let owner = try files.open(folder, O_RDONLY | O_DIRECTORY)
    defer {
      flock(owner, LOCK_UN)
      close(owner)
    }
    guard flock(owner, LOCK_EX) == 0 else { throw FileFailure("lock", folder, errno) }
    if let file = try openLock(path, files) { return try take(file, path) }
    try files.removeTree(path)
    guard let file = try openLock(path, files) else { throw FileFailure("lock", path, EINVAL) }
    return try take(file, path)
  }

  private static func take(_ file: Int32, _ path: String) throws(FileFailure) -> FolderLock? {
    if flock(file, LOCK_EX | LOCK_NB) == 0 { return FolderLock(file: file) }
    let number = errno
    close(file)
    if number == EWOULDBLOCK { return nil }
    throw FileFailure("lock", path, number)
  }

  private static func openLock(
    _ path: String, _ files: SystemFiles
  ) throws(FileFailure) -> Int32? {
    let file: Int32
    do throws(FileFailure) {
      file = try files.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
    } catch {
      if error.isNoFile, !error.isMissing { return nil }
      throw error
    }
    var facts = stat()
    if fstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG { return file }
    close(file)
    return nil
  }
}
