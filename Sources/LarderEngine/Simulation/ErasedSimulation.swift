/// A single-tier simulation whose policy is not known to the caller.
///
/// Closures, because what a closure calls is specialised for the types it was made with; one call
/// runs millions of requests.
@usableFromInline
final class ErasedSimulation: Simulation {
  @usableFromInline let runBody: (_ end: Int, _ untilFirstEviction: Bool) -> Bool
  @usableFromInline let resetBody: () -> Void
  @usableFromInline let countsBody: () -> Counts
  @usableFromInline let positionBody: () -> Int
  @usableFromInline let stateBytesBody: () -> Int
  @usableFromInline let outcomesBody: () -> OutcomeSizes?

  /// Takes a simulation over.
  @inlinable
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

  /// Takes a simulation with time over.
  @inlinable
  init<Policy: EvictionPolicy & ~Copyable, Shape: TierShape>(
    _ simulation: consuming TimedSimulation<Policy, Shape>
  ) {
    let held = Held(simulation)
    runBody = { end, stops in held.with { $0.run(upTo: end, untilFirstEviction: stops) } }
    resetBody = { held.with { $0.resetCounts() } }
    countsBody = { held.with { $0.counts } }
    positionBody = { held.with { $0.position } }
    stateBytesBody = { held.with { $0.stateBytes } }
    outcomesBody = { nil }
  }

  @usableFromInline var counts: Counts { countsBody() }
  @usableFromInline var position: Int { positionBody() }
  @usableFromInline var stateBytes: Int { stateBytesBody() }
  @usableFromInline var outcomes: OutcomeSizes? { outcomesBody() }
  @usableFromInline
  func run(upTo end: Int, untilFirstEviction: Bool) -> Bool { runBody(end, untilFirstEviction) }
  @usableFromInline
  func resetCounts() { resetBody() }
}
