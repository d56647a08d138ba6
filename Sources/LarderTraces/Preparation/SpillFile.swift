internal import LarderSystem

/// A file without a name for what is written once and read at the end: a column of a trace that is
/// only converted. It is gone with the process, however that ends.
struct SpillFile: ~Copyable {
  private let files: any FileLayer
  private let descriptor: Int32
  private let folder: String
  /// Bytes written.
  private(set) var count = 0

  /// An empty file on the disk of a folder.
  init(in folder: String, files: any FileLayer = SystemFiles()) throws(TraceError) {
    // Into a local first: what can fail must be over before a noncopyable value has parts.
    let made: (path: String, descriptor: Int32)
    do throws(FileFault) {
      made = try files.createHidden(near: "\(folder)/larder-column")
    } catch {
      throw TraceError("cannot write a temporary file: \(error.reason)", in: folder)
    }
    files.remove(made.path)
    self.files = files
    self.folder = folder
    descriptor = made.descriptor
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

  deinit { try? files.close(descriptor) }

  /// Adds bytes.
  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(TraceError) {
    do throws(FileFault) {
      try files.writeAll(bytes, to: descriptor)
      count += bytes.count
    } catch {
      throw TraceError(
        "writing a temporary file failed: \(error.reason)", in: folder,
        advice: "free disk space: as much is needed twice while a trace is converted")
    }
  }

  /// All bytes as memory; pages that are not in use need not be in memory.
  func map() throws(TraceError) -> PageMemory {
    try PageMemory(mapping: descriptor, bytes: count)
  }
}
