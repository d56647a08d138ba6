/// Caches of one policy at several capacities, simulated together in one pass over a trace of gets
/// of unit size. Each counts what a simulation of it alone counts.
///
/// A policy that can do better than one simulation for each capacity says so in
/// `EvictionPolicy.sweep(_:over:)`.
public final class CapacitySweep {
  /// At most how many capacities go together: more of them are several sweeps.
  public static var capacitiesMax: Int { 8 }

  private let replayBody: (_ start: Int, _ end: Int) -> Void
  private let talliesBody: () -> [CapacityTally]
  private let bytesBody: () -> Int
  private let isDisk: Bool
  private let requests: Int
  private var before: [CapacityTally]
  private var start = 0
  /// Position of the next request.
  public private(set) var position = 0

  /// Takes a pass over; its hits are memory's, or disk's where `isDisk`.
  init<Pass: CapacityPass & ~Copyable>(
    _ pass: consuming Pass, over columns: RequestColumns, isDisk: Bool
  ) {
    before = pass.tallies
    requests = columns.count
    self.isDisk = isDisk
    let held = Held(pass)
    replayBody = { start, end in held.with { $0.replay(columns, from: start, to: end) } }
    talliesBody = { held.with { $0.tallies } }
    bytesBody = { held.with { $0.bytes } }
  }

  /// Replays requests up to but not including `end`, or the last.
  public func run(upTo end: Int) {
    let end = min(end, requests)
    guard position < end else { return }
    replayBody(position, end)
    position = end
  }

  /// Sets all counts to zero and keeps what the caches hold: the end of a warm-up.
  public func resetCounts() {
    before = talliesBody()
    start = position
  }

  /// What has happened since the start or the last `resetCounts`, for each capacity as given.
  public var counts: [Counts] {
    zip(before, talliesBody()).map { before, now in
      let misses = now.misses - before.misses
      var tier = TierCounts()
      tier.admissions = misses
      tier.bytesWritten = misses
      tier.evictions = misses - (now.residents - before.residents)
      var totals = SimulationTotals()
      totals.requests = UInt64(position - start)
      totals.bytesRequested = totals.requests
      totals.hits = totals.requests - misses
      totals.bytesHit = totals.hits
      return totals.counts(of: tier, isDisk: isDisk, hasCosts: false)
    }
  }

  /// Memory held beside the trace's columns, in bytes.
  public var stateBytes: Int { bytesBody() }
}
