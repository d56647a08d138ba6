#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// By what a file is recognised without being read: path, size, times and number in its file
/// system. Compared for equality only: no clock has to be right.
///
/// A file that was written to and has the same stamp is one that was changed within one tick of its
/// file system's clock, at the same length, after it was read; or on a file system that does not
/// keep the time of the last change of a file (`ctime`, which no program can set), one whose time
/// was set back. Files that changed a moment ago have no stamp, so the first cannot happen.
struct FileStamp: Hashable, Sendable {
  /// The file, its path resolved.
  let path: String
  let bytes: Int64
  let number: UInt64
  /// Last change of the content, nanoseconds.
  let modified: Int64
  /// Last change of the content or of its attributes, nanoseconds.
  let changed: Int64

  /// How long a file must have been left alone, in nanoseconds: longer than a tick of any file
  /// system's clock (2 s for FAT).
  static let restNanoseconds: Int64 = 5_000_000_000

  /// The stamp of a regular file; nil for anything else, and for one that changed a moment ago or
  /// will have changed in the future.
  ///
  /// - Parameter now: The time, nanoseconds since 1970.
  init?(_ path: String, now: Int64 = FileStamp.now()) {
    var status = stat()
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    guard stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.path = String(cString: real)
    bytes = Int64(status.st_size)
    number = UInt64(status.st_ino)
    #if canImport(Darwin)
      modified = Self.nanoseconds(status.st_mtimespec)
      changed = Self.nanoseconds(status.st_ctimespec)
    #else
      modified = Self.nanoseconds(status.st_mtim)
      changed = Self.nanoseconds(status.st_ctim)
    #endif
    guard max(modified, changed) <= now - Self.restNanoseconds else { return nil }
  }

  /// The stamp in one line.
  var text: String {
    "file \(bytes) bytes, number \(number), modified \(modified), changed \(changed), \(path)"
  }

  /// The time, nanoseconds since 1970.
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return nanoseconds(time)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
