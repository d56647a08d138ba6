#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SystemFiles {
  /// See `FileLayer`.
  package func dropCached(_ path: String) throws(FileFailure) -> Bool {
    #if os(Linux)
      let file: Int32
      do throws(FileFailure) {
        file = try open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
      } catch {
        if error.isMissing { return true }
        throw error
      }
      defer { close(file) }
      try drop(file, path)
      return true
    #else
      return false
    #endif
  }

  /// See `FileLayer`.
  package func dropCachedOpen(_ path: String) throws(FileFailure) -> Bool {
    #if os(Linux)
      var wanted = stat()
      guard at(path, { fstatat($0, $1, &wanted, 0) }) == 0 else {
        throw FileFailure("ask the size", path, errno)
      }
      for item in try list("/proc/self/fd") {
        var found = stat()
        guard let file = Int32(item.name), fstat(file, &found) == 0, found.st_dev == wanted.st_dev,
          found.st_ino == wanted.st_ino
        else { continue }
        try drop(file, path)
      }
      return true
    #else
      return false
    #endif
  }

  #if os(Linux)
    private func drop(_ file: Int32, _ path: String) throws(FileFailure) {
      // Only what is on the disk can be forgotten.
      guard fdatasync(file) == 0 else { throw FileFailure("sync", path, errno) }
      let number = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
      guard number == 0 else { throw FileFailure("forget", path, number) }
    }
  #endif
}
