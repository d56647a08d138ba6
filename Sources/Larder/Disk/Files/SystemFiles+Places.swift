#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SystemFiles {
  /// See `FileLayer`.
  package func write(
    _ bytes: UnsafeRawBufferPointer, to path: String, at offset: UInt64, _ target: FileTarget,
    syncs: Bool
  ) throws(FileFailure) {
    let file = try openForWriting(path, target)
    defer { close(file) }
    // Pipes and devices have no places: they refuse `pwrite`.
    try write(bytes, to: file, at: offset, path)
    if syncs { try sync(file, path) }
  }

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

  /// See `FileLayer`.
  package func read(
    _ name: ValueName, in folder: OpenFolder, at offset: UInt64,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileFailure) -> Bool {
    let file = name.withPath { openat(folder.file, $0, Self.reading | O_CLOEXEC) }
    guard file >= 0 else {
      throw FileFailure("open", "\(folder.path)/\(name.text)", errno)
    }
    defer { close(file) }
    var done = 0
    while done < buffer.count {
      let count = pread(
        file, buffer.baseAddress.map { $0 + done }, buffer.count - done,
        off_t(offset) + off_t(done))
      if count < 0 {
        if errno == EINTR { continue }
        throw FileFailure("read", "\(folder.path)/\(name.text)", errno)
      }
      if count == 0 { return false }
      done += count
    }
    return true
  }

  /// See `FileLayer`.
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
