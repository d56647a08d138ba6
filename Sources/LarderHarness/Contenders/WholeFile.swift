import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Files that are written and read as a whole.
enum WholeFile {
  /// Writes a value under a temporary name and gives it its own; `syncs` waits for the disk.
  static func write(
    _ value: Data, to path: String, by temporary: String, syncs: Bool
  ) throws(PlainFileError) {
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o666)
    guard descriptor >= 0 else { throw PlainFileError("open", temporary) }
    defer { _ = close(descriptor) }
    let isWritten = value.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(done))
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
    guard isWritten, !syncs || fsync(descriptor) == 0 else {
      throw PlainFileError("write", temporary)
    }
    guard rename(temporary, path) == 0 else { throw PlainFileError("rename", path) }
  }

  /// Reads a file that has so many bytes.
  static func read(_ path: String, bytes: Int) throws(PlainFileError) -> Data {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { throw PlainFileError("open", path) }
    defer { _ = close(descriptor) }
    guard bytes > 0, let memory = malloc(bytes) else { return Data() }
    var done = 0
    while done < bytes {
      let count = pread(descriptor, memory + done, bytes - done, off_t(done))
      guard count > 0 else {
        free(memory)
        throw PlainFileError("read", path)
      }
      done += count
    }
    return Data(bytesNoCopy: memory, count: bytes, deallocator: .free)
  }
}

/// Why a file could not be used.
struct PlainFileError: Error, CustomStringConvertible {
  /// One line for a person.
  let description: String

  /// The call that has just failed.
  init(_ call: String, _ path: String) {
    description = "\(path): \(call): \(String(cString: strerror(errno)))"
  }
}
