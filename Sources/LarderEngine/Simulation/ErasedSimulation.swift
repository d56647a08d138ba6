/// A single-tier simulation whose policy is not known to the caller.
///
/// Closures, because what a closure calls is specialised for the types it was made with; one call
/// runs millions of requests.
final class ErasedSimulation: Simulation {
  private let runBody: (_ end: Int, _ untilFirstEviction: Bool) -> Bool
  private let resetBody: () -> Void
  private let countsBody: () -> Counts
  private let positionBody: () -> Int
  private let stateBytesBody: () -> Int
  private let outcomesBody: () -> OutcomeSizes?

  /// Takes a simulation over.
  init<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>(
    _ simulation: consuming SingleTierSimulation<Policy, Shape>
  ) {
    let held = Held(simulation)
    runBody = { end, stops in held.with { $0.run(upTo: end, untilFirstEviction: stops) } }
    resetBody = { held.with { $0.resetCounts() } }
    countsBody = { held.with { $0.counts } }
    positionBody = { held.with { $0.position } }
    stateBytesBody = { held.with { $0.stateBytes } }
    outcomesBody = { held.with { $0.outcomes } }
  }

  var counts: Counts { countsBody() }
  var position: Int { positionBody() }
  var stateBytes: Int { stateBytesBody() }
  var outcomes: OutcomeSizes? { outcomesBody() }
  func run(upTo end: Int, untilFirstEviction: Bool) -> Bool { runBody(end, untilFirstEviction) }
  func resetCounts() { resetBody() }
}
