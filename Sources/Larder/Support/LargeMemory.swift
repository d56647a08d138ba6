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
  #if os(Linux)
    private static var hugePage: Int { 2 << 20 }
  #endif

  /// The bytes that `allocate` takes for so many: where an eighth more at most makes whole huge
  /// pages of them, that.
  @usableFromInline
  static func rounded(_ bytes: Int) -> Int {
    #if os(Linux)
      let whole = (bytes + hugePage - 1) / hugePage * hugePage
      return whole - bytes <= bytes / 8 ? whole : bytes
    #else
      return bytes
    #endif
  }

  /// `rounded(bytes)` bytes, not initialised, at a cache line's beginning or as `alignment` says,
  /// which is a power of two.
  @usableFromInline
  static func allocate(bytes: Int, alignment: Int) -> UnsafeMutableRawPointer {
    let bytes = rounded(bytes)
    var alignment = max(alignment, 64)
    #if os(Linux)
      if bytes >= hugePage { alignment = max(alignment, hugePage) }
    #endif
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, alignment, bytes) == 0, let memory else {
      preconditionFailure("out of memory: \(bytes) bytes")
    }
    #if os(Linux)
      // Only whole huge pages: of another, more would be held than is used.
      if bytes >= hugePage { madvise(memory, bytes / hugePage * hugePage, MADV_HUGEPAGE) }
    #endif
    return memory
  }

  /// Gives memory back that `allocate` gave.
  @usableFromInline
  static func deallocate(_ memory: UnsafeMutableRawPointer) { free(memory) }
}
