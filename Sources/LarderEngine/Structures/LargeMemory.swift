import LarderLibc

/// Memory that is read in no order, for columns and for the records of memory caches. Random access
/// to much of it is bound by address translation, so on Linux the system is asked for huge pages.
///
/// What is filled from a stream of unknown length, and so has to grow without being copied, is in
/// LarderTraces' `PageMemory`.
package enum LargeMemory {
  /// The size of a huge page; no memory is large enough for one where the system has none.
  #if os(Linux)
    private static let hugePage = 2 << 20
  #else
    private static let hugePage = Int.max
  #endif

  /// So many bytes, rounded up to whole huge pages if that adds `share` of them at most.
  package static func rounded(_ bytes: Int, adding share: Double) -> Int {
    guard bytes >= hugePage / 2, hugePage < Int.max else { return bytes }
    let whole = (bytes + hugePage - 1) / hugePage * hugePage
    return Double(whole - bytes) <= Double(bytes) * share ? whole : bytes
  }

  /// Memory that is not initialised, at the beginning of a cache line or as `alignment` says, which
  /// is a power of two.
  package static func allocate(bytes: Int, alignment: Int = 64) -> UnsafeMutableRawPointer {
    let isHuge = bytes >= hugePage
    var memory: UnsafeMutableRawPointer?
    let alignment = max(alignment, isHuge ? hugePage : 64)
    guard posix_memalign(&memory, alignment, bytes) == 0, let memory else {
      preconditionFailure("out of memory: \(bytes) bytes")
    }
    #if os(Linux)
      // Only whole huge pages: of another, more would be held than is used.
      if isHuge { madvise(memory, bytes / hugePage * hugePage, MADV_HUGEPAGE) }
    #endif
    return memory
  }

  /// Gives memory back that `allocate` gave.
  package static func deallocate(_ memory: UnsafeMutableRawPointer) { free(memory) }
}
