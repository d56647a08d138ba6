#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The few things that a recording asks of its file, so that a test can make each fail or take
/// long.
package protocol RecordingFile: AnyObject, Sendable {
  /// Writes bytes at a place behind everything that is to stay.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileFailure)

  /// Cuts the file off at `length`, waits until it is on the disk, and closes it.
  func close(at length: UInt64) throws(FileFailure)
}

/// A file of the system's, made anew, which only its owner may read and write.
package final class SystemRecordingFile: RecordingFile {
  private let file: Int32
  private let path: String

  /// Makes a file where none is.
  ///
  /// - Throws: when there is one, or it cannot be made.
  package init(path: String) throws(FileFailure) {
    self.path = path
    file = try SystemFiles().open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
  }

  /// See `RecordingFile`.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileFailure) {
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

  /// See `RecordingFile`.
  package func close(at length: UInt64) throws(FileFailure) {
    var failure: FileFailure?
    if ftruncate(file, off_t(length)) != 0 { failure = FileFailure("truncate", path, errno) }
    if fsync(file) != 0, failure == nil { failure = FileFailure("sync", path, errno) }
    #if canImport(Darwin)
      let closed = Darwin.close(file)
    #elseif canImport(Musl)
      let closed = Musl.close(file)
    #else
      let closed = Glibc.close(file)
    #endif
    if closed != 0, failure == nil { failure = FileFailure("close", path, errno) }
    if let failure { throw failure }
  }
}
