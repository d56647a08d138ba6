import LarderEngine

extension Counts {
  /// The first contradiction in counts that were read from a file, or nil. After this no computed
  /// property of them can trap.
  package var fault: String? {
    guard let hits = Self.sum(memoryHits, diskHits), hits <= requests else {
      return "more hits than requests"
    }
    guard let bytes = Self.sum(memoryBytesHit, diskBytesHit), bytes <= bytesRequested else {
      return "more bytes hit than requested"
    }
    let tiers: [KeyPath<TierCounts, UInt64>] = [
      \.admissions, \.rejections, \.evictions, \.expirations,
    ]
    for tier in tiers where Self.sum(memory[keyPath: tier], disk[keyPath: tier]) == nil {
      return "a sum over the tiers exceeds 64 bits"
    }
    return nil
  }

  private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64? {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? nil : sum
  }
}
