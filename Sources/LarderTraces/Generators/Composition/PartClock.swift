/// A part's time, counted from its first record and carried on when it starts again.
struct PartClock {
  /// Microseconds at which the present run of the part began.
  private var base: UInt64
  /// The part's own time at its first record.
  private var first: UInt64?
  /// The latest time handed out.
  private(set) var elapsed: UInt64

  /// A clock that starts at a time in microseconds.
  init(at start: UInt64) {
    base = start
    elapsed = start
  }

  /// The part starts again from its beginning.
  mutating func restart() {
    base = elapsed
    first = nil
  }

  /// The time of a record with the part's own time; never before that of the record before.
  @inline(__always)
  mutating func time(_ own: UInt64) -> UInt64 {
    let start = first ?? own
    first = start
    // A trace whose clock steps back keeps the latest time.
    if own > start { elapsed = max(elapsed, base &+ (own &- start)) }
    return elapsed
  }
}
