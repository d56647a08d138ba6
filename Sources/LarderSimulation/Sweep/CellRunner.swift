import LarderEngine
import LarderSystem
import LarderTraces
import LarderWorkloads

/// Runs one cell: warm-up, counting, timing, and the latency model where there is one.
package struct CellRunner: Sendable {
  let warmUp: WarmUp
  let repetitions: Int
  let calculators: AccessTimeCalculators?
  let cancellation: Cancellation
  /// Told the number of requests just replayed.
  let progress: @Sendable (_ requests: Int) -> Void

  /// A runner. `calculators` model access times; nil where none are asked for.
  init(
    warmUp: WarmUp, repetitions: Int, calculators: AccessTimeCalculators?,
    cancellation: Cancellation, progress: @escaping @Sendable (_ requests: Int) -> Void
  ) {
    self.warmUp = warmUp
    self.repetitions = repetitions
    self.calculators = calculators
    self.cancellation = cancellation
    self.progress = progress
  }

  /// A runner that models no access times.
  package init(
    warmUp: WarmUp, repetitions: Int, cancellation: Cancellation,
    progress: @escaping @Sendable (_ requests: Int) -> Void
  ) {
    self.init(
      warmUp: warmUp, repetitions: repetitions, calculators: nil, cancellation: cancellation,
      progress: progress)
  }

  /// How many requests go between two looks at the flag.
  private static var chunk: Int { 1 << 20 }

  /// The record of a cell, or nil when it was stopped on the way.
  ///
  /// - Throws: `PolicyError` from the policy, `SweepError.notDeterministic` when two repetitions
  ///   count differently.
  package func run(_ planned: PlannedCell, over trace: PreparedTrace) throws -> Record? {
    var setup = planned.setup
    setup.recordsOutcomes = calculators != nil
    var record: Record?
    for repetition in 1...max(1, repetitions) {
      let simulation = try PolicyRegistry.makeSimulation(setup, over: trace.requests)
      let start = ContinuousClock.now
      guard replay(simulation, count: trace.requests.count) else { return nil }
      let seconds = (ContinuousClock.now - start).inSeconds
      let timing = Timing(
        mode: .simulate, threads: 1, repetition: repetition,
        requests: UInt64(trace.requests.count), seconds: seconds,
        memoryBytesPerObject: Double(simulation.stateBytes) / Double(trace.requests.objects))
      if record == nil {
        record = Record(
          cell: planned.cell, counts: simulation.counts,
          objectsDistinct: UInt64(trace.requests.objects),
          modelled: simulation.outcomes.flatMap {
            calculators?.accessTime(of: $0, in: planned.cell)
          })
      } else if record?.counts != simulation.counts {
        throw SweepError.notDeterministic(planned.cell)
      }
      record?.timings.append(timing)
    }
    return record
  }

  /// Replays the trace, warm-up first; false when it was stopped.
  private func replay(_ simulation: any Simulation, count: Int) -> Bool {
    if let requests = warmUp.requests(of: UInt64(count)) {
      guard advance(simulation, upTo: Int(requests)) else { return false }
    } else {
      guard advance(simulation, upTo: count, untilFirstEviction: true) else { return false }
    }
    if warmUp != .none { simulation.resetCounts() }
    return advance(simulation, upTo: count)
  }

  private func advance(
    _ simulation: any Simulation, upTo end: Int, untilFirstEviction: Bool = false
  ) -> Bool {
    while simulation.position < end {
      if cancellation.isRequested { return false }
      let start = simulation.position
      let stopped = simulation.run(
        upTo: min(start + Self.chunk, end), untilFirstEviction: untilFirstEviction)
      progress(simulation.position - start)
      if stopped { break }
    }
    return true
  }
}

extension Duration {
  /// The duration in seconds.
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
