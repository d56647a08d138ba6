#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file without a name for what is written once and read at the end: a column of a trace that is
/// only converted. It is gone with the process, however that ends.
struct SpillFile: ~Copyable {
  private let descriptor: Int32
  private let folder: String
  /// Bytes written.
  private(set) var count = 0

  /// An empty file on the disk of a folder.
  init(in folder: String) throws(TraceError) {
    // Into a local first: what can fail must be over before a noncopyable value has parts.
    var template = Array("\(folder)/.larder-column-XXXXXX".utf8CString)
    let opened = mkstemp(&template)
    guard opened >= 0 else {
      throw TraceError("cannot write a temporary file: \(SystemError.last)", in: folder)
    }
    unlink(template)
    descriptor = opened
    self.folder = folder
  }

  /// Whether files can be made in a folder.
  static func works(in folder: String) -> Bool {
    do throws(TraceError) {
      _ = try SpillFile(in: folder)
      return true
    } catch {
      return false
    }
  }

  deinit { close(descriptor) }

  /// Adds bytes.
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(TraceError) {
    var left = bytes
    while let start = left.baseAddress, left.count > 0 {
      let written = pwrite(descriptor, start, left.count, off_t(count))
      if written < 0 {
        if errno == EINTR { continue }
        throw TraceError(
          "writing a temporary file failed: \(SystemError.last)", in: folder,
          advice: "free disk space: as much is needed twice while a trace is converted")
      }
      count += written
      left = UnsafeRawBufferPointer(rebasing: left[written...])
    }
  }

  /// All bytes as memory; pages that are not in use need not be in memory.
  func map() throws(TraceError) -> PageMemory {
    try PageMemory(mapping: descriptor, bytes: count)
  }
}
