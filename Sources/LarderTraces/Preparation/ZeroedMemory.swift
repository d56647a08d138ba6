#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Large tables that begin as zeros and are read all over the place.
enum ZeroedMemory {
  /// Zeros, to be freed with `free`. On Linux in huge pages where the system lets us, because
  /// otherwise every look into a large table also misses the address translation cache.
  static func allocate<Element: BitwiseCopyable>(
    _ count: Int, of type: Element.Type
  ) throws(TraceError) -> UnsafeMutablePointer<Element> {
    let bytes = count * MemoryLayout<Element>.stride
    let hugePage = 2 << 20
    #if canImport(Glibc)
      if bytes >= 2 * hugePage {
        var memory: UnsafeMutableRawPointer?
        if posix_memalign(&memory, hugePage, bytes) == 0, let memory {
          madvise(memory, bytes, MADV_HUGEPAGE)
          memset(memory, 0, bytes)
          return memory.assumingMemoryBound(to: Element.self)
        }
      }
    #endif
    guard let memory = calloc(count, MemoryLayout<Element>.stride) else {
      throw TraceError(
        "no memory for a table of \(bytes) bytes", in: "preparation",
        advice: "use a machine with more memory or a trace of fewer objects")
    }
    return memory.assumingMemoryBound(to: Element.self)
  }
}
