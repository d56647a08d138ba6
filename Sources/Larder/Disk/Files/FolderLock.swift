#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Says to other processes that a folder has an owner. The system gives it back when the process
/// ends, however it ends.
final class FolderLock {
  private let file: Int32

  private init(file: Int32) { self.file = file }

  deinit {
    // Closing is not enough: a process that is just being spawned may still have the file.
    flock(file, LOCK_UN)
    close(file)
  }

  /// Takes the folder, or answers nil when somebody has it, in this process or another.
  static func take(folder: String) throws(FileFailure) -> FolderLock? {
    let path = folder + "/lock"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileFailure("open", path, errno) }
    if flock(file, LOCK_EX | LOCK_NB) == 0 { return FolderLock(file: file) }
    let number = errno
    close(file)
    if number == EWOULDBLOCK { return nil }
    throw FileFailure("lock", path, number)
  }
}
