import LarderEngine

extension Advisor {
  /// Times to live that are tried, seconds: a minute to four weeks.
  private static let lifetimes: [UInt32] = [60, 300, 3600, 21_600, 86_400, 604_800, 2_419_200]

  /// What times to live cost, where the trace is longer than them.
  func lifetimes(_ design: Candidate, _ capacity: UInt64) throws -> [LifetimePoint] {
    let tried = Self.lifetimes.filter { Double($0) < trace.durationSeconds }
    guard !tried.isEmpty else { return [] }
    let mini = try mini(runs: tried.count + 1, of: [design], smallest: capacity)
    began("Times to live", mini.trace.requests.count * (tried.count + 1))
    let settings: [UInt32?] = [nil] + tried
    let jobs = try settings.map { seconds in
      let tier = try design.tier(
        capacity: capacity, rate: mini.rate, timeToLiveSeconds: seconds)
      return Replayer.Job(
        arrangement: self.settings.tiers == .disk ? .disk(tier) : .memory(tier), trace: mini)
    }
    let counts = try replayer.run(jobs)
    let ratios = counts.map { mini.hitRatio($0, in: segments.scored) }
    let hasChanges = changes
    return tried.indices.map { place in
      let own = counts[place + 1][segments.scored]
      let gets = own.reduce(0) { $0 + Double($1.requests) }
      let stale = own.reduce(0) { $0 + Double($1.staleHits) }
      return LifetimePoint(
        seconds: tried[place], hitRatio: ratios[place + 1],
        lostPoints: (ratios[0] - ratios[place + 1]) * 100,
        staleRatio: hasChanges && gets > 0 ? stale / gets : nil)
    }
  }

  /// Whether the trace tells of changes at the origin that caches are not told of.
  private var changes: Bool {
    guard let operations = trace.requests.operations else { return false }
    return (0..<trace.requests.count).contains { operations[$0] == Operation.modify.rawValue }
  }
}
