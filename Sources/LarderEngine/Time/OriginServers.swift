/// The servers of an origin that serves some fetches at a time: one queue, first come, first
/// served.
@usableFromInline
struct OriginServers: ~Copyable {
  // When each is free: a binary heap; the earliest is at 1.
  @usableFromInline var free: Column<UInt64>
  @usableFromInline let count: UInt32

  /// Servers that are all free.
  init(_ count: Int) {
    self.count = UInt32(count)
    free = Column(objects: count)
  }

  /// Serves a fetch that arrives at `now`, and returns when it ends. O(log servers).
  @usableFromInline
  mutating func serve(at now: UInt64, for duration: UInt64) -> UInt64 {
    let (end, isBeyondTime) = max(now, free[1]).addingReportingOverflow(duration)
    let completion = isBeyondTime ? .max : end
    var place: UInt32 = 1
    while place * 2 <= count {
      var child = place * 2
      if child < count, free[child + 1] < free[child] { child += 1 }
      guard free[child] < completion else { break }
      free[place] = free[child]
      place = child
    }
    free[place] = completion
    return completion
  }
}
