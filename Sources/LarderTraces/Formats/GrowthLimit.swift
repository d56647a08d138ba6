/// Checks that memory is left for a table that grows with what a file says, each time that it has
/// doubled.
struct GrowthLimit {
  private let purpose: String
  private let bytesEach: Int
  private let memory: MemoryBudget
  private var next: Int

  /// A limit for a table whose entries take `bytesEach` bytes.
  ///
  /// - Parameters:
  ///   - purpose: what the table holds, for errors: the beginning of the sentence, in the plural.
  ///   - first: entries from which on memory is checked.
  init(
    _ purpose: String, bytesEach: Int, from first: Int = 1 << 18, memory: MemoryBudget = .machine
  ) {
    self.purpose = purpose
    self.bytesEach = bytesEach
    self.memory = memory
    next = first
  }

  /// Checks memory where the table has doubled since the last check.
  ///
  /// - Throws: `TraceError` when what it may take until it doubles again is not left.
  @inline(__always)
  mutating func check(_ count: Int, in source: @autoclosure () -> String) throws(TraceError) {
    if count >= next { try checkMemory(count, source()) }
  }

  @inline(never)
  private mutating func checkMemory(_ count: Int, _ source: String) throws(TraceError) {
    next = 2 * count
    // A table is copied when it grows, and half of its places are empty after that.
    try memory.check(
      UInt64(4 * count * bytesEach), for: purpose, in: source,
      advice: "read a part of the file")
  }
}
