import CLarderShims
import LarderEngine
import LarderLibc
internal import LarderSupport

/// Memory of a column that grows while a trace is prepared. New elements are zero.
final class GrowableColumn<Element: BitwiseCopyable> {
  /// Address of the first element. Valid until the next `reserve`.
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var capacity: Int
  private var memory: PageMemory

  /// Creates a column with room for at least `capacity` elements, in a file of `folder` if given.
  init(capacity: Int = 4096, in folder: String? = nil) throws(TraceError) {
    memory = try PageMemory(
      bytes: capacity * MemoryLayout<Element>.stride,
      purpose: "a column of \(capacity) elements", folder: folder)
    base = memory.base.assumingMemoryBound(to: Element.self)
    self.capacity = memory.count / MemoryLayout<Element>.stride
  }

  @inline(__always) func reserve(_ needed: Int) throws(TraceError) {
    if needed > capacity { try grow(needed) }
  }

  /// Frees the memory beyond `count` elements.
  func shrink(to count: Int) { memory.shrink(to: count * MemoryLayout<Element>.stride) }

  @inline(never) private func grow(_ needed: Int) throws(TraceError) {
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
  private var owners: [AnyObject]

  /// Creates an empty storage that keeps `base` alive.
  init(over base: AnyObject? = nil) { owners = [base].compactMap { $0 } }

  func adopt<Element>(
    _ column: GrowableColumn<Element>, count: Int
  ) -> UnsafePointer<Element> {
    column.shrink(to: count)
    owners.append(column)
    return UnsafePointer(column.base)
  }
}

/// An unnamed file with the pages of a column of a trace that is only converted: the system writes
/// them out when memory is scarce. It disappears with the process in all cases.
final class SpillFile {
  private let files: any FileLayer
  private let descriptor: Int32
  private let folder: String
  private(set) var count = 0

  init(in folder: String, files: any FileLayer = SystemFiles()) throws(TraceError) {
    (self.folder, self.files) = (folder, files)
    do throws(FileFault) {
      let made = try files.createHidden(near: "\(folder)/larder-column")
      files.remove(made.path)
      descriptor = made.descriptor
    } catch {
      throw TraceError("cannot write a temporary file: \(error.reason)", in: folder)
    }
  }

  static func works(in folder: String) -> Bool { (try? SpillFile(in: folder)) != nil }

  deinit { try? files.close(descriptor) }

  /// Extends the file with zeros, so that a full disk is an error here and no signal later.
  func extend(to bytes: Int) throws(TraceError) {
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    while count < bytes {
      let part = min(zeros.count, bytes - count)
      let written = zeros.withUnsafeBytes { zeros in
        Result { () throws(FileFault) in
          try files.writeAll(UnsafeRawBufferPointer(rebasing: zeros[..<part]), to: descriptor)
        }
      }
      if case .failure(let error) = written {
        throw TraceError(
          "writing a temporary file failed: \(error.reason)", in: folder,
          advice: "free disk space: converting a trace temporarily needs twice its size")
      }
      count += part
    }
  }

  func map(_ bytes: Int) throws(TraceError) -> UnsafeMutableRawPointer? {
    try extend(to: bytes)
    let base = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    return base == MAP_FAILED ? nil : base
  }
}

/// Page-aligned memory from the system, initially zero, that grows without being copied.
private struct PageMemory: ~Copyable {
  /// Address of the first byte; at a multiple of 2 MiB for memory of at least that size.
  private(set) var base: UnsafeMutableRawPointer
  private(set) var count: Int
  private let file: SpillFile?
  var isFile: Bool { file != nil }
  private static let hugePage = 2 << 20
  private static let page = Int(sysconf(Int32(_SC_PAGESIZE)))
  /// Most bytes by which a file grows beyond what is needed.
  private static let fileStep = 64 << 20

  /// At least `bytes`, for a use that errors name, in a file of `folder` if given.
  init(bytes: Int, purpose: String, folder: String? = nil) throws(TraceError) {
    let unit = bytes >= PageMemory.hugePage ? PageMemory.hugePage : PageMemory.page
    let count = max(unit, Self.rounded(bytes, to: unit))
    var file: SpillFile?
    if let folder { file = try SpillFile(in: folder) }
    let made = if let file { try file.map(count) } else { LargeMemory.map(count) }
    guard let base = made else { throw Self.shortage(purpose, bytes) }
    (self.base, self.count, self.file) = (base, count, file)
  }

  deinit { if count > 0 { munmap(base, count) } }

  private static func rounded(_ bytes: Int, to unit: Int) -> Int {
    (bytes + unit - 1) / unit * unit
  }

  private static func shortage(_ purpose: String, _ bytes: Int) -> TraceError {
    MemoryBudget.shortage(
      "no memory for \(purpose) (\(bytes) bytes)", in: "preparation",
      advice: "use a machine with more memory, a shorter trace or one of fewer objects")
  }

  mutating func grow(to bytes: Int, purpose: String) throws(TraceError) {
    if let file {
      let wanted = max(bytes, count + min(count, PageMemory.fileStep))
      let larger = Self.rounded(wanted, to: PageMemory.page)
      munmap(base, count)
      count = 0
      guard let mapped = try file.map(larger) else { throw Self.shortage(purpose, bytes) }
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
    let kept = max(PageMemory.page, Self.rounded(bytes, to: PageMemory.page))
    guard !isFile, kept < count else { return }
    munmap(base + kept, count - kept)
    count = kept
  }
}
