import CLarderShims
import LarderEngine
import LarderLibc
internal import LarderSupport

struct GrowableColumn<Element: BitwiseCopyable>: ~Copyable {
  /// Address of the first element. Valid until the next `reserve`.
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var capacity: Int

  private var memory: PageMemory

  /// Creates a column with room for at least `capacity` elements, in a file of `folder` if given.
  init(capacity: Int = 4096, in folder: String? = nil) throws(TraceError) {
    let memory = try PageMemory(
      bytes: capacity * MemoryLayout<Element>.stride,
      purpose: "a column of \(capacity) elements", folder: folder)
    base = memory.base.assumingMemoryBound(to: Element.self)
    self.capacity = memory.count / MemoryLayout<Element>.stride
    self.memory = memory
  }

  @inline(__always) mutating func reserve(_ needed: Int) throws(TraceError) {
    if needed > capacity { try grow(needed) }
  }

  consuming func finish(count: Int) -> PageMemory {
    memory.shrink(to: count * MemoryLayout<Element>.stride)
    return memory
  }

  @inline(never) private mutating func grow(_ needed: Int) throws(TraceError) {
    let larger = memory.isFile ? needed : max(needed, capacity * 2)
    try memory.grow(
      to: larger * MemoryLayout<Element>.stride, purpose: "a column of \(larger) elements")
    base = memory.base.assumingMemoryBound(to: Element.self)
    capacity = memory.count / MemoryLayout<Element>.stride
  }
}

/// Owner of the memory behind a prepared trace's columns, which it frees after their last use.
final class ColumnStorage: @unchecked Sendable {
  // Unchecked: columns are added while the trace is built, before the storage is shared, and their
  // memory is read-only afterwards.
  private var columns: [OwnedColumn] = []
  private let base: AnyObject?

  init(over base: AnyObject? = nil) { self.base = base }

  func adopt<Element: BitwiseCopyable>(
    _ column: consuming GrowableColumn<Element>, count: Int
  ) -> UnsafePointer<Element> {
    let owned = OwnedColumn(column.finish(count: count))
    columns.append(owned)
    return UnsafePointer(owned.base.assumingMemoryBound(to: Element.self))
  }
}

/// Box for noncopyable memory, so that arrays can hold it.
private final class OwnedColumn {
  private let memory: PageMemory
  var base: UnsafeMutableRawPointer { memory.base }
  init(_ memory: consuming PageMemory) { self.memory = memory }
}

/// An unnamed file with the pages of a column of a trace that is only converted: the system writes
/// them out when memory is scarce. It disappears with the process in all cases.
struct SpillFile: ~Copyable {
  private let files: any FileLayer
  private let descriptor: Int32
  private let folder: String
  private(set) var count = 0

  init(in folder: String, files: any FileLayer = SystemFiles()) throws(TraceError) {
    // Stored in a local first: everything that can fail must come before the parts of a noncopyable
    // value.
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

  static func works(in folder: String) -> Bool {
    do throws(TraceError) {
      _ = try SpillFile(in: folder)
      return true
    } catch {
      return false
    }
  }

  deinit { try? files.close(descriptor) }

  /// Extends the file with zeros, so that a full disk is an error here and no signal later.
  mutating func extend(to bytes: Int) throws(TraceError) {
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    while count < bytes {
      let part = min(zeros.count, bytes - count)
      let written = zeros.withUnsafeBytes { zeros in
        Result { () throws(FileFault) in
          try files.writeAll(UnsafeRawBufferPointer(rebasing: zeros[..<part]), to: descriptor)
        }
      }
      do throws(FileFault) {
        try written.get()
      } catch {
        throw TraceError(
          "writing a temporary file failed: \(error.reason)", in: folder,
          advice: "free disk space: converting a trace temporarily needs twice its size")
      }
      count += part
    }
  }

  mutating func map(_ bytes: Int) throws(TraceError) -> UnsafeMutableRawPointer? {
    try extend(to: bytes)
    let base = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    return base == MAP_FAILED ? nil : base
  }
}

/// Page-aligned memory from the system, initially zero, that grows without being copied.
struct PageMemory: ~Copyable {
  /// Address of the first byte; at a multiple of 2 MiB for memory of at least that size.
  private(set) var base: UnsafeMutableRawPointer
  private(set) var count: Int
  private var file: SpillFile?
  var isFile: Bool { file != nil }

  private static let hugePage = 2 << 20
  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))
  /// Most bytes by which a file grows beyond what is needed.
  private static let fileStep = 64 << 20

  init(bytes: Int, purpose: String, folder: String? = nil) throws(TraceError) {
    let unit = bytes >= PageMemory.hugePage ? PageMemory.hugePage : PageMemory.page
    let count = max(unit, (bytes + unit - 1) / unit * unit)
    if let folder {
      var file = try SpillFile(in: folder)
      guard let base = try file.map(count) else { throw Self.shortage(purpose, bytes) }
      self.base = base
      self.count = count
      self.file = consume file
      return
    }
    guard let base = LargeMemory.map(count) else { throw Self.shortage(purpose, bytes) }
    self.base = base
    self.count = count
  }

  deinit { if count > 0 { munmap(base, count) } }

  private static func shortage(_ purpose: String, _ bytes: Int) -> TraceError {
    var error = TraceError(
      "no memory for \(purpose) (\(bytes) bytes)", in: "preparation",
      advice: "use a machine with more memory, a shorter trace or one of fewer objects")
    error.isMemoryShortage = true
    return error
  }

  mutating func grow(to bytes: Int, purpose: String) throws(TraceError) {
    if isFile {
      let wanted = max(bytes, count + min(count, PageMemory.fileStep))
      let larger = (wanted + PageMemory.page - 1) / PageMemory.page * PageMemory.page
      munmap(base, count)
      count = 0
      guard let mapped = try file?.map(larger) else { throw Self.shortage(purpose, bytes) }
      (base, count) = (mapped, larger)
      return
    }
    var larger = try PageMemory(bytes: bytes, purpose: purpose)
    #if canImport(Glibc)
      // Moves and extends in one step, so that the system keeps one mapping: it would not move two
      // together the next time.
      guard larder_move_pages(base, count, larger.base, larger.count) != MAP_FAILED else {
        throw Self.shortage(purpose, bytes)
      }
      if larger.count >= PageMemory.hugePage { madvise(larger.base, larger.count, MADV_HUGEPAGE) }
      // The old pages were moved, so their addresses must not be unmapped.
      swap(&base, &larger.base)
      swap(&count, &larger.count)
      larger.count = 0
    #else
      larger.base.copyMemory(from: base, byteCount: count)
      swap(&base, &larger.base)
      swap(&count, &larger.count)
    #endif
  }

  mutating func shrink(to bytes: Int) {
    if isFile { return }
    let kept = max(
      PageMemory.page, (bytes + PageMemory.page - 1) / PageMemory.page * PageMemory.page)
    guard kept < count else { return }
    munmap(base + kept, count - kept)
    count = kept
  }
}
