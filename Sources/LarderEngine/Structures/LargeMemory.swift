import CLarderShims
import LarderLibc

/// Memory with random access. On Linux, the system is asked for huge pages where a block is
/// allocated in its full size: one that grows would clear a whole huge page within a single call.
package enum LargeMemory {
  #if os(Linux)
    private static let hugePage = 2 << 20
    // Blocks of this size on are mapped one by one, so that their memory returns to the system when
    // they are freed. The C library keeps freed blocks of up to 32 MiB.
    private static let mappedMin = 128 << 10
  #else
    private static let hugePage = Int.max
    private static let mappedMin = Int.max
  #endif

  /// Runs `body`, within whose allocations pages are small if `small`: a huge page is cleared when
  /// it is first touched, within a single call of a cache.
  package static func withSmallPages<Value: ~Copyable, Failure: Error>(
    _ small: Bool = true, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let before = hasSmallPages
    larder_set_small_pages(before || small)
    defer { larder_set_small_pages(before) }
    return try body()
  }

  package static var hasSmallPages: Bool { larder_has_small_pages() }

  package static func rounded(_ bytes: Int, adding share: Double) -> Int {
    guard bytes >= hugePage / 2, hugePage < Int.max else { return bytes }
    let whole = (bytes + hugePage - 1) / hugePage * hugePage
    return Double(whole - bytes) <= Double(bytes) * share ? whole : bytes
  }

  package static func allocate(
    bytes: Int, alignment: Int = 64, huge: Bool = true
  ) -> UnsafeMutableRawPointer {
    #if os(Linux)
      if bytes >= mappedMin {
        guard let memory = map(bytes, huge: huge) else {
          preconditionFailure("out of memory: \(bytes) bytes")
        }
        return memory
      }
    #endif
    var memory: UnsafeMutableRawPointer?
    guard posix_memalign(&memory, max(alignment, 64), bytes) == 0, let memory else {
      preconditionFailure("out of memory: \(bytes) bytes")
    }
    return memory
  }

  package static func allocateZeros(bytes: Int, huge: Bool = true) -> UnsafeMutableRawPointer {
    let memory = allocate(bytes: bytes, huge: huge)
    // Mapped memory is zero.
    if bytes < mappedMin { memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes) }
    return memory
  }

  /// Makes a block larger; the bytes behind the old ones are zero. On Linux, pages move without a
  /// copy, so that it takes some microseconds a GB.
  package static func grow(
    _ memory: UnsafeMutableRawPointer, from bytes: Int, to wanted: Int, alignment: Int = 64
  ) -> UnsafeMutableRawPointer {
    #if os(Linux)
      if bytes >= mappedMin {
        let place = allocate(bytes: wanted, huge: false)
        if larder_move_pages(memory, pages(bytes), place, pages(wanted)) != MAP_FAILED {
          DebugWork.add(1 + bytes / hugePage)
          return place
        }
        // The place may be unmapped now.
      }
    #endif
    let larger = allocate(bytes: wanted, alignment: alignment, huge: false)
    DebugWork.add(bytes / 4096)
    larger.copyMemory(from: memory, byteCount: bytes)
    if wanted < mappedMin {
      (larger + bytes).initializeMemory(as: UInt8.self, repeating: 0, count: wanted - bytes)
    }
    deallocate(memory, bytes: bytes)
    return larger
  }

  /// Bytes of whole pages.
  private static func pages(_ bytes: Int) -> Int {
    let page = sysconf(Int32(_SC_PAGESIZE))
    return (bytes + page - 1) / page * page
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

  /// Maps zeros, aligned to a huge page if one fits, so that whole tables of pages can move; nil if
  /// the system has no more.
  package static func map(_ bytes: Int, huge: Bool = true) -> UnsafeMutableRawPointer? {
    let isAligned = bytes >= hugePage
    let slack = isAligned ? hugePage : 0
    let flags = MAP_PRIVATE | MAP_ANON
    guard bytes <= Int.max - slack,
      let memory = mmap(nil, bytes + slack, PROT_READ | PROT_WRITE, flags, -1, 0),
      memory != MAP_FAILED
    else { return nil }
    guard isAligned else { return memory }
    let ahead = -Int(bitPattern: memory) & (hugePage - 1)
    if ahead > 0 { munmap(memory, ahead) }
    let start = memory + ahead
    let end = pages(bytes)
    if ahead + end < bytes + slack { munmap(start + end, bytes + slack - ahead - end) }
    // The last page is huge only if it is whole. One mapping throughout, or pages could not move.
    #if os(Linux)
      if huge, !hasSmallPages {
        madvise(start, end, MADV_HUGEPAGE)
        DebugWork.add(bytes / 4096)
      }
    #endif
    return start
  }
}

/// Work that one call may do only in small amounts, such as pages and ids that it moves, counted in
/// debug builds for the calling thread, so that tests can bound it.
@usableFromInline package enum DebugWork {
  #if DEBUG
    package static var amount: Int { larder_debug_work() }

    /// The most work while a lock was held once, since the last call.
    package static func takeMost() -> Int { larder_take_most_debug_work() }
  #endif

  /// Begins to count anew: a lock is taken.
  @inlinable @inline(__always) package static func begin() {
    #if DEBUG
      larder_begin_debug_work()
    #endif
  }

  /// Counts nothing until the next `begin`: the lock is given back.
  @inlinable @inline(__always) package static func end() {
    #if DEBUG
      larder_end_debug_work()
    #endif
  }

  @inlinable @inline(__always) package static func add(_ amount: Int) {
    #if DEBUG
      larder_add_debug_work(amount)
    #endif
  }
}
