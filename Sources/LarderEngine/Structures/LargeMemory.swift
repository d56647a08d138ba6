import LarderLibc

/// Memory with random access, for columns and for the records of memory caches. Random access to
/// much memory is bound by address translation, so on Linux the system is asked for huge pages.
///
/// Memory that is filled from a stream of unknown length, and must grow without copies, is in
/// LarderTraces' `PageMemory`.
package enum LargeMemory {
  /// The size of a huge page; larger than any memory if the system has none.
  #if os(Linux)
    private static let hugePage = 2 << 20
  #else
    private static let hugePage = Int.max
  #endif

  /// Rounds up to whole huge pages if that adds at most `share` of the bytes.
  package static func rounded(_ bytes: Int, adding share: Double) -> Int {
    guard bytes >= hugePage / 2, hugePage < Int.max else { return bytes }
    let whole = (bytes + hugePage - 1) / hugePage * hugePage
    return Double(whole - bytes) <= Double(bytes) * share ? whole : bytes
  }

  /// Allocates uninitialised memory, aligned to a cache line or to `alignment`, which is a power of
  /// two.
  package static func allocate(bytes: Int, alignment: Int = 64) -> UnsafeMutableRawPointer {
    let isHuge = bytes >= hugePage
    var memory: UnsafeMutableRawPointer?
    let alignment = max(alignment, isHuge ? hugePage : 64)
    guard posix_memalign(&memory, alignment, bytes) == 0, let memory else {
      preconditionFailure("out of memory: \(bytes) bytes")
    }
    #if os(Linux)
      // Whole huge pages only: a partial one would use more memory than needed.
      if isHuge { madvise(memory, bytes / hugePage * hugePage, MADV_HUGEPAGE) }
    #endif
    return memory
  }

  /// Frees memory from `allocate`.
  package static func deallocate(_ memory: UnsafeMutableRawPointer) { free(memory) }
}
