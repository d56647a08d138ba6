#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Memory of a column that grows while a trace is prepared.
///
/// `realloc` moves pages instead of bytes where the system can, and pages that were never touched
/// take no memory, so doubling costs address space only.
struct GrowableColumn<Element: BitwiseCopyable>: ~Copyable {
  /// The first element. Valid until the next `reserve`.
  private(set) var base: UnsafeMutablePointer<Element>
  /// How many elements there is room for.
  private(set) var capacity: Int

  /// A column with room for `capacity` elements, at least one.
  init(capacity: Int = 4096) throws(TraceError) {
    self.capacity = max(1, capacity)
    base = try GrowableColumn.resize(nil, to: self.capacity)
  }

  deinit { free(base) }

  /// Makes room for `needed` elements.
  ///
  /// - Complexity: O(1) amortised over elements added.
  @inline(__always)
  mutating func reserve(_ needed: Int) throws(TraceError) {
    if needed > capacity { try grow(needed) }
  }

  /// Gives back what is beyond `count` and hands over the memory, to be freed with `free`.
  consuming func finish(count: Int) -> UnsafeMutablePointer<Element> {
    let result = (try? GrowableColumn.resize(base, to: max(1, count))) ?? base
    discard self
    return result
  }

  @inline(never)
  private mutating func grow(_ needed: Int) throws(TraceError) {
    let larger = max(needed, capacity * 2)
    base = try GrowableColumn.resize(base, to: larger)
    capacity = larger
  }

  private static func resize(
    _ old: UnsafeMutablePointer<Element>?, to count: Int
  ) throws(TraceError) -> UnsafeMutablePointer<Element> {
    let bytes = count * MemoryLayout<Element>.stride
    guard let memory = realloc(old, bytes) else {
      throw TraceError(
        "no memory for a column of \(count) requests (\(bytes) bytes)", in: "preparation",
        advice: "use a machine with more memory or a shorter trace")
    }
    return memory.assumingMemoryBound(to: Element.self)
  }
}
