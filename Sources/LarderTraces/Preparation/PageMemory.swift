import CLarderShims

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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
