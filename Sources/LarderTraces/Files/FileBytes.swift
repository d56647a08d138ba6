import LarderLibc
internal import LarderSupport

final class FileBytes: ByteSource {
  let path: String
  /// True for a regular file, which can be reopened and then returns the same bytes.
  let isRegular: Bool
  let size: Int?

  static let standardInput = "-"

  private let descriptor: Int32
  private var peeked: [UInt8] = []
  private(set) var offset = 0

  init(path: String, allowsEmpty: Bool = false) throws(TraceError) {
    let isStandardInput = path == FileBytes.standardInput
    descriptor =
      isStandardInput
      ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC)
    self.path = path
    guard descriptor >= 0 else {
      let reason = FileFault(code: errno)
      isRegular = false
      size = nil
      throw TraceError(
        "cannot be opened: \(reason.reason)", in: path,
        advice: reason.code == ENOENT
          ? "check the path"
          : reason.code == EMFILE ? "raise the limit with ulimit -n, or join fewer files" : nil)
    }
    var status = stat()
    let failed = fstat(descriptor, &status) != 0
    let kind = status.st_mode & S_IFMT
    // Standard input continues at its current position even if it is a file, so it is read once.
    isRegular = !failed && kind == S_IFREG && !isStandardInput
    size = !failed && kind == S_IFREG ? Int(status.st_size) : nil
    if failed { throw TraceError("cannot be examined: \(FileFault(code: errno).reason)", in: path) }
    if kind == S_IFDIR {
      throw TraceError("is a directory", in: path, advice: "give a trace file inside it")
    }
    // Some devices have no end, such as /dev/urandom. Input at a terminal is ended by the user.
    if kind == S_IFBLK || (kind == S_IFCHR && isatty(descriptor) == 0) {
      throw TraceError(
        "is a device file; expected a regular file or a pipe", in: path,
        advice: "copy a part of the device with head -c")
    }
    if size == 0, !allowsEmpty {
      throw TraceError("the file is empty", in: path, advice: "a trace needs at least one request")
    }
    #if canImport(Glibc)
      _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  func peek(_ count: Int) throws(TraceError) -> [UInt8] {
    let space = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { space.deallocate() }
    var bytes = peeked
    while bytes.count < count {
      let got = try readDescriptor(
        into: UnsafeMutableRawBufferPointer(rebasing: space[..<(count - bytes.count)]))
      if got == 0 { break }
      bytes += space[..<got]
    }
    peeked = bytes
    return bytes
  }

  func read(into space: UnsafeMutableRawBufferPointer) throws(TraceError) -> Int {
    if !peeked.isEmpty {
      let count = min(peeked.count, space.count)
      space.copyBytes(from: peeked[..<count])
      peeked.removeFirst(count)
      return count
    }
    return try readDescriptor(into: space)
  }

  private func readDescriptor(
    into space: UnsafeMutableRawBufferPointer
  ) throws(TraceError) -> Int {
    while true {
      #if canImport(Glibc)
        let got = Glibc.read(descriptor, space.baseAddress, space.count)
      #else
        let got = Darwin.read(descriptor, space.baseAddress, space.count)
      #endif
      if got >= 0 {
        offset += got
        return got
      }
      if errno != EINTR {
        let reason = FileFault(code: errno).reason
        throw TraceError("cannot be read: \(reason)", in: path, at: .byte(offset))
      }
    }
  }
}

/// A file mapped read-only: one that is too large for `LoadedBytes`.
final class MappedFile: @unchecked Sendable {
  // Unchecked: the memory is read-only and unmapped only in deinit.
  let bytes: UnsafeRawBufferPointer

  init(path: String) throws(TraceError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw TraceError("cannot be opened: \(FileFault(code: errno).reason)", in: path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else {
      throw TraceError("the file is empty", in: path)
    }
    let length = Int(status.st_size)
    guard let memory = mmap(nil, length, PROT_READ, MAP_PRIVATE, descriptor, 0),
      memory != MAP_FAILED
    else { throw TraceError("cannot be mapped: \(FileFault(code: errno).reason)", in: path) }
    // All of it is validated right away.
    madvise(memory, length, MADV_WILLNEED)
    bytes = UnsafeRawBufferPointer(start: memory, count: length)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}

/// A prepared trace file in private memory, which other processes cannot change.
final class LoadedBytes: @unchecked Sendable {
  // Unchecked: the memory is not written to after initialisation.
  let bytes: UnsafeRawBufferPointer

  private let memory: GrowableColumn<UInt8>

  init(_ reader: ByteReader, memory budget: MemoryBudget = .machine) throws(TraceError) {
    let isLonger = try reader.fill(atLeast: FormatSample.length)
    let length = try LarderLayout(
      decoding: reader.bytes, fileLength: isLonger ? nil : reader.unreadCount, path: reader.path
    ).fileLength
    try budget.check(
      UInt64(length), for: "its columns", in: reader.path,
      advice: "use a machine with more memory, or a shorter trace")
    memory = try GrowableColumn(capacity: max(1, length))
    let count = try reader.take(
      into: UnsafeMutableRawBufferPointer(start: memory.base, count: length))
    if try reader.fill(atLeast: 1) {
      throw TraceError(
        "expected the end of the prepared trace after \(length) bytes, found more",
        in: reader.path, at: .byte(length), advice: "convert the original trace again")
    }
    bytes = UnsafeRawBufferPointer(start: memory.base, count: count)
  }
}
