import CLarderShims
import LarderLibc
internal import LarderSupport

/// Memory of a column that grows while a trace is prepared. New elements are zero.
///
/// A column that spills writes its complete part to a file and reuses the memory; at the end, the
/// file replaces the memory.
struct GrowableColumn<Element: BitwiseCopyable>: ~Copyable {
  /// Address of the first element. Valid until the next `reserve`. In a column that spills, only
  /// elements from `spilled` on may be accessed, until `gather`.
  private(set) var base: UnsafeMutablePointer<Element>
  /// Capacity in elements.
  private(set) var capacity: Int

  private var memory: PageMemory
  private var file: SpillFile?
  /// Number of elements that are only in the file.
  private(set) var spilled = 0

  /// Creates a column with room for at least `capacity` elements.
  init(capacity: Int = 4096) throws(TraceError) {
    let memory = try PageMemory(
      bytes: capacity * MemoryLayout<Element>.stride,
      purpose: "a column of \(capacity) elements")
    base = memory.base.assumingMemoryBound(to: Element.self)
    self.capacity = memory.count / MemoryLayout<Element>.stride
    self.memory = memory
  }

  /// Makes room for `needed` elements.
  ///
  /// - Complexity: O(1) amortised over elements added.
  @inline(__always) mutating func reserve(_ needed: Int) throws(TraceError) {
    if needed > capacity { try grow(needed) }
  }

  /// Frees the memory beyond `count` elements and returns the rest.
  consuming func finish(count: Int) -> PageMemory {
    memory.shrink(to: count * MemoryLayout<Element>.stride)
    return memory
  }

  /// Writes the elements before `count` to a file in the folder, and reuses their memory.
  mutating func spill(before count: Int, to folder: String) throws(TraceError) {
    if file == nil { file = try SpillFile(in: folder) }
    try file?.write(
      UnsafeRawBufferPointer(
        UnsafeBufferPointer(start: base + spilled, count: count - spilled)))
    let room = memory.count / MemoryLayout<Element>.stride
    base = memory.base.assumingMemoryBound(to: Element.self) - count
    capacity = count + room
    spilled = count
  }

  /// Makes all of `count` elements accessible again, if any were spilled.
  mutating func gather(count: Int) throws(TraceError) {
    guard spilled > 0 else { return }
    if count > spilled {
      try file?.write(
        UnsafeRawBufferPointer(
          UnsafeBufferPointer(start: base + spilled, count: count - spilled)))
    }
    guard let whole = try file?.map() else { return }
    memory = whole
    file = nil
    spilled = 0
    base = memory.base.assumingMemoryBound(to: Element.self)
    capacity = count
  }

  @inline(never) private mutating func grow(_ needed: Int) throws(TraceError) {
    let held = capacity - spilled
    let larger = max(needed - spilled, held * 2)
    try memory.grow(
      to: larger * MemoryLayout<Element>.stride, purpose: "a column of \(larger) elements")
    base = memory.base.assumingMemoryBound(to: Element.self) - spilled
    capacity = spilled + memory.count / MemoryLayout<Element>.stride
  }
}

/// Owner of the memory behind a prepared trace's columns, which it frees after their last use.
final class ColumnStorage: @unchecked Sendable {
  // Unchecked: columns are added while the trace is built, before the storage is shared, and their
  // memory is read-only afterwards.
  private var columns: [OwnedColumn] = []
  private let base: AnyObject?

  /// Creates an empty storage that keeps `base` alive.
  init(over base: AnyObject? = nil) { self.base = base }

  /// Takes ownership of a column while the storage is built.
  func adopt<Element: BitwiseCopyable>(
    _ column: consuming GrowableColumn<Element>, count: Int
  ) -> UnsafePointer<Element> {
    let owned = OwnedColumn(column.finish(count: count))
    columns.append(owned)
    return UnsafePointer(owned.base.assumingMemoryBound(to: Element.self))
  }

  /// Releases pages of columns in temporary files from memory: they are reloaded when read.
  func release(_ bytes: UnsafeRawBufferPointer) {
    for column in columns where column.contains(bytes) { column.release(bytes) }
  }
}

/// Box for noncopyable memory, so that arrays can hold it.
private final class OwnedColumn {
  private let memory: PageMemory
  var base: UnsafeMutableRawPointer { memory.base }
  init(_ memory: consuming PageMemory) { self.memory = memory }

  func contains(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    return start >= UnsafeRawPointer(base) && start < UnsafeRawPointer(base) + memory.count
  }

  func release(_ bytes: UnsafeRawBufferPointer) { memory.release(bytes) }
}

/// An unnamed file for data that is written once and read at the end: a column of a trace that is
/// only converted. It disappears with the process in all cases.
struct SpillFile: ~Copyable {
  private let files: any FileLayer
  private let descriptor: Int32
  private let folder: String
  private(set) var count = 0

  /// Creates an empty file on the disk of a folder.
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

  /// True if files can be created in a folder.
  static func works(in folder: String) -> Bool {
    do throws(TraceError) {
      _ = try SpillFile(in: folder)
      return true
    } catch {
      return false
    }
  }

  deinit { try? files.close(descriptor) }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(TraceError) {
    do throws(FileFault) {
      try files.writeAll(bytes, to: descriptor)
      count += bytes.count
    } catch {
      throw TraceError(
        "writing a temporary file failed: \(error.reason)", in: folder,
        advice: "free disk space: converting a trace temporarily needs twice its size")
    }
  }

  /// Maps all bytes; unused pages need not be in memory.
  func map() throws(TraceError) -> PageMemory {
    try PageMemory(mapping: descriptor, bytes: count)
  }
}

/// Page-aligned memory from the system, initially zero, that grows without being copied.
///
/// Untouched pages take no memory. On Linux large memory uses huge pages if the system allows:
/// filling a column then causes one five-hundredth of the page faults, and random accesses to a
/// table cause fewer TLB misses.
struct PageMemory: ~Copyable {
  /// Address of the first byte; at a multiple of 2 MiB for memory of at least that size.
  private(set) var base: UnsafeMutableRawPointer
  /// Size in bytes.
  private(set) var count: Int
  /// True for memory of a file, whose pages can be evicted and reloaded.
  private(set) var isFile = false

  private static let hugePage = 2 << 20
  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// Allocates at least `bytes` of memory.
  ///
  /// - Parameter purpose: use of the memory, for the error.
  init(bytes: Int, purpose: String) throws(TraceError) {
    let unit = bytes >= PageMemory.hugePage ? PageMemory.hugePage : PageMemory.page
    let count = max(unit, (bytes + unit - 1) / unit * unit)
    guard let base = PageMemory.map(count) else {
      throw Self.shortage(purpose, bytes)
    }
    self.base = base
    self.count = count
  }

  /// Maps the bytes of an open file, at least one; writes go to the file.
  init(mapping descriptor: Int32, bytes: Int) throws(TraceError) {
    guard let base = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      base != MAP_FAILED
    else { throw Self.shortage("a column in a temporary file", bytes) }
    self.base = base
    count = (bytes + PageMemory.page - 1) / PageMemory.page * PageMemory.page
    isFile = true
  }

  deinit { if count > 0 { munmap(base, count) } }

  /// Releases pages of a file that are no longer read from memory.
  func release(_ bytes: UnsafeRawBufferPointer) {
    guard isFile, let start = bytes.baseAddress else { return }
    let first = max(0, start - UnsafeRawPointer(base)) / PageMemory.page * PageMemory.page
    let end = min(count, start - UnsafeRawPointer(base) + bytes.count)
    if end > first { madvise(base + first, end - first, MADV_DONTNEED) }
  }

  private static func shortage(_ purpose: String, _ bytes: Int) -> TraceError {
    var error = TraceError(
      "no memory for \(purpose) (\(bytes) bytes)", in: "preparation",
      advice: "use a machine with more memory, a shorter trace or one of fewer objects")
    error.isMemoryShortage = true
    return error
  }

  /// Moves the content to memory of at least `bytes`.
  ///
  /// - Complexity: O(1) on Linux except for one step per page; O(bytes) elsewhere.
  mutating func grow(to bytes: Int, purpose: String) throws(TraceError) {
    var larger = try PageMemory(bytes: bytes, purpose: purpose)
    #if canImport(Glibc)
      // Moves and extends in one step, so that the system keeps one mapping: it would not move two
      // together the next time.
      guard larder_move_pages(base, count, larger.base, larger.count) != MAP_FAILED else {
        throw Self.shortage(purpose, bytes)
      }
      PageMemory.adviseHugePages(larger.base, larger.count)
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

  /// Frees the pages beyond the first `bytes`.
  mutating func shrink(to bytes: Int) {
    // A file is never larger than needed.
    if isFile { return }
    let kept = max(
      PageMemory.page, (bytes + PageMemory.page - 1) / PageMemory.page * PageMemory.page)
    guard kept < count else { return }
    munmap(base + kept, count - kept)
    count = kept
  }

  /// Maps memory, aligned to huge pages if it is large enough.
  private static func map(_ count: Int) -> UnsafeMutableRawPointer? {
    let isHuge = count >= hugePage
    let slack = isHuge ? hugePage : 0
    let flags = MAP_PRIVATE | MAP_ANON
    guard count <= Int.max - slack,
      let start = mmap(nil, count + slack, PROT_READ | PROT_WRITE, flags, -1, 0),
      start != MAP_FAILED
    else { return nil }
    guard isHuge else { return start }
    let before = (hugePage - Int(bitPattern: start) % hugePage) % hugePage
    let base = start + before
    if before > 0 { munmap(start, before) }
    if slack > before { munmap(base + count, slack - before) }
    adviseHugePages(base, count)
    return base
  }

  private static func adviseHugePages(_ base: UnsafeMutableRawPointer, _ count: Int) {
    #if canImport(Glibc)
      if count >= hugePage { madvise(base, count, MADV_HUGEPAGE) }
    #endif
  }
}
