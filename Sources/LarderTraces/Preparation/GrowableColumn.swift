/// Memory of a column that grows while a trace is prepared. New elements are zero.
struct GrowableColumn<Element: BitwiseCopyable>: ~Copyable {
  /// The first element. Valid until the next `reserve`.
  private(set) var base: UnsafeMutablePointer<Element>
  /// How many elements there is room for.
  private(set) var capacity: Int

  private var memory: PageMemory

  /// A column with room for at least `capacity` elements.
  init(capacity: Int = 4096) throws(TraceError) {
    let memory = try PageMemory(
      bytes: capacity * MemoryLayout<Element>.stride,
      purpose: "a column of \(capacity) elements")
    base = memory.base.assumingMemoryBound(to: Element.self)
    self.capacity = memory.count / MemoryLayout<Element>.stride
    self.memory = memory
  }

  /// Makes room for `needed` elements.
  ///
  /// - Complexity: O(1) amortised over elements added.
  @inline(__always)
  mutating func reserve(_ needed: Int) throws(TraceError) {
    if needed > capacity { try grow(needed) }
  }

  /// Gives back what is beyond `count` elements and hands over the memory.
  consuming func finish(count: Int) -> PageMemory {
    memory.shrink(to: count * MemoryLayout<Element>.stride)
    return memory
  }

  @inline(never)
  private mutating func grow(_ needed: Int) throws(TraceError) {
    let larger = max(needed, capacity * 2)
    try memory.grow(
      to: larger * MemoryLayout<Element>.stride, purpose: "a column of \(larger) elements")
    base = memory.base.assumingMemoryBound(to: Element.self)
    capacity = memory.count / MemoryLayout<Element>.stride
  }
}
