#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Memory that is read in no order. Random access to much of it is bound by the translation of
/// addresses, so where it is large enough the system is asked for huge pages.
@usableFromInline
enum LargeMemory {
  /// At least `bytes`, not initialised. `alignment` is a power of two, at least 8.
  @usableFromInline
  static func allocate(bytes: Int, alignment: Int) -> UnsafeMutableRawPointer {
    #if os(Linux)
      let huge = 2 << 20
      let alignment = bytes >= huge ? max(alignment, huge) : alignment
    #endif
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, alignment, bytes) == 0, let memory else {
      preconditionFailure("out of memory: \(bytes) bytes")
    }
    #if os(Linux)
      // Only whole huge pages: the rest would hold more memory than is used.
      if bytes >= huge { madvise(memory, bytes / huge * huge, MADV_HUGEPAGE) }
    #endif
    return memory
  }

  /// Gives memory back that `allocate` gave.
  @usableFromInline
  static func deallocate(_ memory: UnsafeMutableRawPointer) { free(memory) }
}
