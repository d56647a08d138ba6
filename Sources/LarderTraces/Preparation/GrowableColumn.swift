import CLarderShims
import LarderLibc
internal import LarderSupport

/// Memory of a column that grows while a trace is prepared. New elements are zero.
///
/// A column that spills writes what is complete into a file and uses its memory again; when all is
/// there, the file takes the place of the memory.
struct GrowableColumn<Element: BitwiseCopyable>: ~Copyable {
  /// The first element. Valid until the next `reserve`. Of a column that spills only elements from
  /// `spilled` on may be touched, until `gather`.
  private(set) var base: UnsafeMutablePointer<Element>
  /// How many elements there is room for.
  private(set) var capacity: Int

  private var memory: PageMemory
  private var file: SpillFile?
  /// Elements that are in the file alone.
  private(set) var spilled = 0

  /// A column with room for at least `capacity` elements.
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

  /// Gives back what is beyond `count` elements and hands over the memory.
  consuming func finish(count: Int) -> PageMemory {
    memory.shrink(to: count * MemoryLayout<Element>.stride)
    return memory
  }

  /// Writes what is before `count` into a file in the folder, and uses its memory again.
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

/// Owns the memory behind a prepared trace's columns and frees it when nobody reads them any more.
final class ColumnStorage: @unchecked Sendable {
  // Unchecked: columns are added by whoever makes the trace, before anybody else knows the storage,
  // and nobody writes to their memory afterwards.
  private var columns: [OwnedColumn] = []
  private let base: AnyObject?

  /// No columns yet. `base` is kept alive with this storage.
  init(over base: AnyObject? = nil) { self.base = base }

  /// Takes a column over. For use while the storage is being made.
  func adopt<Element: BitwiseCopyable>(
    _ column: consuming GrowableColumn<Element>, count: Int
  ) -> UnsafePointer<Element> {
    let owned = OwnedColumn(column.finish(count: count))
    columns.append(owned)
    return UnsafePointer(owned.base.assumingMemoryBound(to: Element.self))
  }

  /// Lets pages of columns in temporary files leave memory: they come back when they are read.
  func release(_ bytes: UnsafeRawBufferPointer) {
    for column in columns where column.contains(bytes) { column.release(bytes) }
  }
}

/// Memory that cannot be copied, in a box that arrays can hold.
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

/// Memory in whole pages from the system, zero at first, that grows without being copied.
///
/// What is never touched takes no memory. On Linux large memory is in huge pages where the system
/// lets us: filling a column then costs a five-hundredth of the page faults, and looks all over a
/// table do not also miss the address translation cache.
struct PageMemory: ~Copyable {
  /// The first byte; at a multiple of 2 MiB when there are that many.
  private(set) var base: UnsafeMutableRawPointer
  /// How many bytes there are.
  private(set) var count: Int
  /// Whether the bytes are those of a file, so that pages can leave memory and come back.
  private(set) var isFile = false

  private static let hugePage = 2 << 20
  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))

  /// At least `bytes` of memory.
  ///
  /// - Parameter purpose: what it is for, for the error.
  init(bytes: Int, purpose: String) throws(TraceError) {
    let unit = bytes >= PageMemory.hugePage ? PageMemory.hugePage : PageMemory.page
    let count = max(unit, (bytes + unit - 1) / unit * unit)
    guard let base = PageMemory.map(count) else {
      throw Self.shortage(purpose, bytes)
    }
    self.base = base
    self.count = count
  }

  /// The bytes of an open file, of which there must be some; what is written goes into the file.
  init(mapping descriptor: Int32, bytes: Int) throws(TraceError) {
    guard let base = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
      base != MAP_FAILED
    else { throw Self.shortage("a column in a temporary file", bytes) }
    self.base = base
    count = (bytes + PageMemory.page - 1) / PageMemory.page * PageMemory.page
    isFile = true
  }

  deinit { if count > 0 { munmap(base, count) } }

  /// Lets pages that are read no more leave memory, where they are those of a file.
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

  /// Moves what there is into memory of at least `bytes`.
  ///
  /// - Complexity: O(1) on Linux but for one step a page; O(bytes) elsewhere.
  mutating func grow(to bytes: Int, purpose: String) throws(TraceError) {
    var larger = try PageMemory(bytes: bytes, purpose: purpose)
    #if canImport(Glibc)
      // Moving and adding in one step, so that the system keeps it as one mapping: it would not
      // move two together the next time.
      guard larder_move_pages(base, count, larger.base, larger.count) != MAP_FAILED else {
        throw Self.shortage(purpose, bytes)
      }
      PageMemory.adviseHugePages(larger.base, larger.count)
      // The old pages are gone from their place: nothing is to be unmapped there.
      swap(&base, &larger.base)
      swap(&count, &larger.count)
      larger.count = 0
    #else
      larger.base.copyMemory(from: base, byteCount: count)
      swap(&base, &larger.base)
      swap(&count, &larger.count)
    #endif
  }

  /// Gives the pages beyond the first `bytes` back.
  mutating func shrink(to bytes: Int) {
    // A file has no more than it needs.
    if isFile { return }
    let kept = max(
      PageMemory.page, (bytes + PageMemory.page - 1) / PageMemory.page * PageMemory.page)
    guard kept < count else { return }
    munmap(base + kept, count - kept)
    count = kept
  }

  /// Maps memory, at a multiple of a huge page when there is that much of it.
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
