/// Memory of a column that grows while a trace is prepared. New elements are zero.
///
/// A column that spills writes what is complete into a file and uses its memory again; when all is
/// there, the file takes the place of the memory.
struct GrowableColumn<Element: BitwiseCopyable>: ~Copyable {
  /// The first element. Valid until the next `reserve`. Of a column that spills only elements from
  /// `spilled` on may be touched, until `gather`.
  private(set) var base: UnsafeMutablePointer<Element>
  /// How many elements there is room for.
  private(set) var capacity: Int

  private var memory: PageMemory
  private var file: SpillFile?
  /// Elements that are in the file alone.
  private(set) var spilled = 0

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

  /// Writes what is before `count` into a file in the folder, and uses its memory again.
  mutating func spill(before count: Int, to folder: String) throws(TraceError) {
    if file == nil { file = try SpillFile(in: folder) }
    try file?.write(
      UnsafeRawBufferPointer(
        UnsafeBufferPointer(start: base + spilled, count: count - spilled)))
    let room = memory.count / MemoryLayout<Element>.stride
    base = memory.base.assumingMemoryBound(to: Element.self) - count
    capacity = count + room
    spilled = count
  }

  /// Makes all of `count` elements accessible again, if any were spilled.
  mutating func gather(count: Int) throws(TraceError) {
    guard spilled > 0 else { return }
    if count > spilled {
      try file?.write(
        UnsafeRawBufferPointer(
          UnsafeBufferPointer(start: base + spilled, count: count - spilled)))
    }
    guard let whole = try file?.map() else { return }
    memory = whole
    file = nil
    spilled = 0
    base = memory.base.assumingMemoryBound(to: Element.self)
    capacity = count
  }

  @inline(never)
  private mutating func grow(_ needed: Int) throws(TraceError) {
    let held = capacity - spilled
    let larger = max(needed - spilled, held * 2)
    try memory.grow(
      to: larger * MemoryLayout<Element>.stride, purpose: "a column of \(larger) elements")
    base = memory.base.assumingMemoryBound(to: Element.self) - spilled
    capacity = spilled + memory.count / MemoryLayout<Element>.stride
  }
}
