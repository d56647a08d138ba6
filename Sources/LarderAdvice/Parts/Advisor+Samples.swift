import LarderEngine

extension Advisor {
  /// What a part of the advice beside the search may replay, as a share of a search.
  private static let partOfBudget = 0.25

  /// How much of a trace is replayed.
  struct Extent: Sendable, Hashable {
    /// The share of the objects.
    var rate: Double
    /// The share of the requests in windows.
    var share: Double

    /// Everything.
    static let all = Extent(rate: 1, share: 1)
  }

  /// As much of the trace as so many runs of these designs may replay, in a sample that leaves room
  /// for enough objects in a cache of a capacity; windows of the trace where that would still be
  /// too much.
  func extent(
    runs: Int, of designs: [Candidate], smallest capacity: UInt64
  ) -> Extent {
    let cost = ReplayCost.mean(designs, weighs: unit == .bytes)
    let all = Double(trace.requests.count)
    let share = Self.partOfBudget * budget / (all * Double(max(1, runs)) * cost)
    guard share < 1 else { return .all }
    let meanSize = Double(footprint) / Double(max(1, trace.storableObjects))
    let wanted = Search.scaledObjectsMin * max(1, meanSize) / Double(capacity)
    // Powers of two, so that neighbours on a curve share a sample.
    var rate = 1.0
    while settings.prefix == nil, rate / 2 >= max(share, wanted) { rate /= 2 }
    return Extent(rate: rate, share: min(1, share / rate))
  }

  /// That much of the trace.
  func mini(_ extent: Extent) throws -> MiniTrace {
    guard extent != .all else { return whole }
    return try MiniTrace(
      of: trace, sample: SpatialSample(rate: extent.rate, seed: settings.seed),
      share: extent.share, ends: segments.ends, prefix: settings.prefix)
  }

  /// That much of the trace as so many runs of these designs may replay.
  func mini(
    runs: Int, of designs: [Candidate], smallest capacity: UInt64
  ) throws -> MiniTrace {
    try mini(extent(runs: runs, of: designs, smallest: capacity))
  }
}
