import LarderLibc

/// Memory with random access, for columns and for the records of memory caches: on Linux, the
/// system is asked for huge pages.
package enum LargeMemory {
  #if os(Linux)
    private static let hugePage = 2 << 20
    // Blocks of this size on are mapped one by one, so that their memory returns to the system when
    // they are freed. The C library begins with the same size, but then keeps freed blocks of up to
    // 32 MiB: those of a cache that grows were half of its memory.
    private static let mappedMin = 128 << 10
  #else
    private static let hugePage = Int.max
    private static let mappedMin = Int.max
  #endif

  package static func rounded(_ bytes: Int, adding share: Double) -> Int {
    guard bytes >= hugePage / 2, hugePage < Int.max else { return bytes }
    let whole = (bytes + hugePage - 1) / hugePage * hugePage
    return Double(whole - bytes) <= Double(bytes) * share ? whole : bytes
  }

  package static func allocate(bytes: Int, alignment: Int = 64) -> UnsafeMutableRawPointer {
    #if os(Linux)
      if bytes >= mappedMin {
        guard let memory = map(bytes) else { preconditionFailure("out of memory: \(bytes) bytes") }
        return memory
      }
    #endif
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, max(alignment, 64), bytes) == 0, let memory else {
      preconditionFailure("out of memory: \(bytes) bytes")
    }
    return memory
  }

  package static func allocateZeros(bytes: Int) -> UnsafeMutableRawPointer {
    let memory = allocate(bytes: bytes)
    // Mapped memory is zero.
    if bytes < mappedMin { memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes) }
    return memory
  }

  package static func deallocate(_ memory: UnsafeMutableRawPointer, bytes: Int) {
    #if os(Linux)
      if bytes >= mappedMin {
        munmap(memory, bytes)
        return
      }
    #endif
    free(memory)
  }

  /// Maps zeros, aligned to a huge page if it has one; nil if the system has no more.
  package static func map(_ bytes: Int) -> UnsafeMutableRawPointer? {
    let isHuge = bytes >= hugePage
    let slack = isHuge ? hugePage : 0
    let flags = MAP_PRIVATE | MAP_ANON
    guard bytes <= Int.max - slack,
      let memory = mmap(nil, bytes + slack, PROT_READ | PROT_WRITE, flags, -1, 0),
      memory != MAP_FAILED
    else { return nil }
    guard isHuge else { return memory }
    let ahead = -Int(bitPattern: memory) & (hugePage - 1)
    if ahead > 0 { munmap(memory, ahead) }
    let start = memory + ahead
    // Lengths are whole pages of the system to munmap.
    let page = sysconf(Int32(_SC_PAGESIZE))
    let end = (bytes + page - 1) / page * page
    if ahead + end < bytes + slack { munmap(start + end, bytes + slack - ahead - end) }
    // Whole huge pages only: a partial one would use more memory than needed.
    #if os(Linux)
      madvise(start, bytes / hugePage * hugePage, MADV_HUGEPAGE)
    #endif
    return start
  }
}
