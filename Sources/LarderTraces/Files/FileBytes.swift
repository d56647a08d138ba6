import LarderLibc

/// The bytes of a file as they are on disk, in order.
///
/// Read with `read` rather than mapped: at buffer sizes that fit the L2 cache the copy costs next
/// to nothing, pipes work too, and a file that shrinks meanwhile ends early instead of killing us.
final class FileBytes: ByteSource {
  /// The path as given, for errors.
  let path: String
  /// A regular file, which can be opened again and gives the same bytes.
  let isRegular: Bool
  /// Bytes in the file; nil for a pipe.
  let size: Int?

  /// The path that stands for standard input.
  static let standardInput = "-"

  private let descriptor: Int32
  private var peeked: [UInt8] = []
  /// How many bytes have been read.
  private(set) var offset = 0

  /// Opens a file for reading.
  ///
  /// - Throws: when it is missing, unreadable, a directory, a device but no terminal, or empty and
  ///   `allowsEmpty` is false.
  init(path: String, allowsEmpty: Bool = false) throws(TraceError) {
    let isStandardInput = path == FileBytes.standardInput
    descriptor =
      isStandardInput
      ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC)
    self.path = path
    guard descriptor >= 0 else {
      let reason = SystemError.last
      isRegular = false
      size = nil
      throw TraceError(
        "cannot be opened: \(reason)", in: path,
        advice: reason.code == ENOENT
          ? "check the path"
          : reason.code == EMFILE ? "raise the limit with ulimit -n, or join fewer files" : nil)
    }
    var status = stat()
    let failed = fstat(descriptor, &status) != 0
    let kind = status.st_mode & S_IFMT
    // Standard input goes on where it is, also where it is a file: it is read once.
    isRegular = !failed && kind == S_IFREG && !isStandardInput
    size = !failed && kind == S_IFREG ? Int(status.st_size) : nil
    if failed { throw TraceError("cannot be examined: \(SystemError.last)", in: path) }
    if kind == S_IFDIR {
      throw TraceError("is a directory", in: path, advice: "give a trace file inside it")
    }
    // Some have no end, such as /dev/urandom. Whoever types a trace at a terminal ends it.
    if kind == S_IFBLK || (kind == S_IFCHR && isatty(descriptor) == 0) {
      throw TraceError(
        "is a device, which may be endless", in: path,
        advice: "give a file or a pipe; copy a part of a device with head -c")
    }
    if size == 0, !allowsEmpty {
      throw TraceError("the file is empty", in: path, advice: "a trace needs at least one request")
    }
    #if canImport(Glibc)
      _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
    #endif
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The first bytes, up to `count`, without taking them out of the stream.
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
        throw TraceError("cannot be read: \(SystemError.last)", in: path, at: .byte(offset))
      }
    }
  }
}

/// A file in memory, read-only, for as long as this object lives. Only for files that are too large
/// to be read into memory (`LoadedBytes`), which costs no more time: 90 ms of processor time for
/// 320 MB, against 85.
///
/// The file must not change while it is mapped. Where it is shortened the system ends programs that
/// read beyond the new end; where bytes are replaced, ids that were checked may have other values.
/// Files that we write are replaced by renaming, which leaves mapped ones whole.
final class MappedFile: @unchecked Sendable {
  // Unchecked: the memory is read-only and unmapped by nobody but deinit.
  /// The bytes.
  let bytes: UnsafeRawBufferPointer

  /// Maps a file.
  init(path: String) throws(TraceError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw TraceError("cannot be opened: \(SystemError.last)", in: path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else {
      throw TraceError("the file is empty", in: path)
    }
    let length = Int(status.st_size)
    guard let memory = mmap(nil, length, PROT_READ, MAP_PRIVATE, descriptor, 0),
      memory != MAP_FAILED
    else { throw TraceError("cannot be mapped: \(SystemError.last)", in: path) }
    // All of it is checked right away.
    madvise(memory, length, MADV_WILLNEED)
    bytes = UnsafeRawBufferPointer(start: memory, count: length)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}

/// A prepared trace file in memory of our own: nobody else can change it.
final class LoadedBytes: @unchecked Sendable {
  // Unchecked: nobody writes to the memory once it is made.
  /// The bytes.
  let bytes: UnsafeRawBufferPointer

  private let memory: PageMemory

  /// Reads a source from its beginning to the end that the file's header names.
  ///
  /// - Throws: `TraceError` for a header that cannot be, for more bytes than it says, and when they
  ///   do not fit into memory. Fewer are for whoever reads the content to find.
  /// - Complexity: O(bytes).
  init(_ reader: ByteReader, memory budget: MemoryBudget = .machine) throws(TraceError) {
    let isLonger = try reader.fill(atLeast: FormatSample.length)
    let length = try LarderLayout(
      decoding: reader.bytes, fileLength: isLonger ? nil : reader.unreadCount, path: reader.path
    ).fileLength
    try budget.check(
      UInt64(length), for: "its columns", in: reader.path,
      advice: "use a machine with more memory, or a shorter trace")
    let column = try GrowableColumn<UInt8>(capacity: max(1, length))
    var count = 0
    while count < length, try reader.fill(atLeast: 1) {
      let part = min(reader.unreadCount, length - count)
      (column.base + count).update(
        from: reader.unread.assumingMemoryBound(to: UInt8.self), count: part)
      count += part
      reader.consume(part)
    }
    if try reader.fill(atLeast: 1) {
      throw TraceError(
        "expected the end of the prepared trace after \(length) bytes, found more",
        in: reader.path, at: .byte(length), advice: "convert the original trace again")
    }
    let memory = column.finish(count: count)
    bytes = UnsafeRawBufferPointer(start: memory.base, count: count)
    self.memory = memory
  }
}

/// An error number of the operating system, with the sentence that the system has for it.
struct SystemError: Error, CustomStringConvertible {
  /// The value of `errno`.
  let code: Int32

  /// The error that the last failed call of this thread left.
  static var last: SystemError { SystemError(code: errno) }

  /// What the system says, such as `No such file or directory`.
  var description: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}
