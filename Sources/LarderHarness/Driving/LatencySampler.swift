/// Which operations are timed: all, or one in so many on average, at irregular distances that
/// follow from a seed, so that no rhythm of the trace is met at the same place each time.
struct LatencySampler: Sendable {
  private let every: UInt64
  private var left: UInt64
  private var state: UInt64

  /// One in `every`; 1 for all.
  init(every: Int, seed: UInt64) {
    self.every = UInt64(max(1, every))
    left = 1
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  /// Whether the next operation is timed.
  @inline(__always)
  mutating func next() -> Bool {
    if every == 1 { return true }
    left -= 1
    guard left == 0 else { return false }
    // Marsaglia, Xorshift RNGs, Journal of Statistical Software 8 (2003).
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    left = 1 + state % (2 * every - 1)
    return true
  }
}
