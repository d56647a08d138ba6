import LarderEngine
import LarderPolicies
import LarderSupport
import LarderTraces

/// Runs one cell: warm-up, counting, timing, and the latency model if any.
package struct CellRunner: Sendable {
  let warmUp: WarmUp
  let repetitions: Int
  let calculators: AccessTimeCalculators?
  let cancellation: Cancellation
  let progress: @Sendable (_ requests: Int) -> Void

  package init(
    warmUp: WarmUp, repetitions: Int, calculators: AccessTimeCalculators? = nil,
    cancellation: Cancellation, progress: @escaping @Sendable (_ requests: Int) -> Void
  ) {
    (self.warmUp, self.repetitions, self.calculators) = (warmUp, repetitions, calculators)
    (self.cancellation, self.progress) = (cancellation, progress)
  }

  static var chunk: Int { 1 << 20 }

  package func run(_ planned: PlannedCell, over trace: PreparedTrace) throws -> Record? {
    try planned.watchingTrainings { try count(planned, over: trace) }
  }

  private func count(_ planned: PlannedCell, over trace: PreparedTrace) throws -> Record? {
    var setup = planned.setup
    setup.recordsOutcomes = calculators != nil
    var record: Record?
    let trace = try planned.prefix.map { try PrefixReplay.trace(trace, in: $0) } ?? trace
    for repetition in 1...max(1, repetitions) {
      let simulation = try makeSimulation(of: planned, setup, over: trace)
      let start = ContinuousClock.now
      var prefixes = planned.prefix.map { PrefixReplay(simulation, over: trace, order: $0) }
      var parts: [ChoiceCourse.Part] = []
      guard
        let counted = replay(simulation, &prefixes, &parts, count: trace.requests.count)
      else { return nil }
      let seconds = (ContinuousClock.now - start).inSeconds
      let timing = Timing(
        mode: .simulate, threads: 1, repetition: repetition,
        requests: UInt64(trace.requests.count), seconds: seconds,
        memoryBytesPerObject: Double(simulation.stateBytes) / Double(trace.requests.objects))
      let counts =
        prefixes?.corrected(isDisk: planned.cell.kind == .disk) ?? simulation.counts
      if record == nil {
        record = Record(
          cell: planned.cell, counts: counts,
          objectsDistinct: UInt64(trace.requests.objects),
          modelled: simulation.outcomes.flatMap {
            calculators?.accessTime(of: $0, in: planned.cell)
          })
        record?.prefix = prefixes?.counts
        record?.flash = flash(of: simulation, planned, over: trace, from: counted)
        record?.hitRatios = ChoiceCourse.perMille(parts)
        record?.course = simulation.choice.map {
          ChoiceCourse(policies: $0.policies, switches: $0.switches, parts: parts)
        }
      } else if record?.counts != counts || record?.prefix != prefixes?.counts {
        throw SweepError.notDeterministic(planned.cell)
      }
      record?.timings.append(timing)
    }
    return record
  }

  private func makeSimulation(
    of planned: PlannedCell, _ setup: SimulationSetup, over trace: PreparedTrace
  ) throws(PolicyError) -> any Simulation {
    guard let layout = planned.layout else {
      return try PolicyRegistry.makeSimulation(setup, over: trace.requests)
    }
    return try layout.makeSimulation(setup, over: trace.requests)
  }

  private func flash(
    of simulation: any Simulation, _ planned: PlannedCell, over trace: PreparedTrace,
    from start: Int
  ) -> FlashCounts? {
    guard planned.cell.kind != .memory, planned.setup.unit == .bytes,
      !PolicyRegistry.isBound(planned.cell.policy)
    else { return nil }
    let counts = simulation.counts
    var flash = FlashCounts()
    if let simulation = simulation as? FlashSimulation {
      flash = simulation.flash
    } else {
      flash.inserted = counts.disk.admissions
      flash.insertedBytes = counts.disk.bytesWritten
      flash.reinserted = simulation.copies
      flash.reinsertedBytes = counts.disk.bytesMoved ?? 0
      flash.writtenBytes = flash.insertedBytes + flash.reinsertedBytes
    }
    if planned.countsTime, let times = trace.requests.times {
      let last = trace.requests.count - 1
      if start < last { flash.microseconds = times[last] - times[start] }
    }
    return flash
  }

  private func replay(
    _ simulation: any Simulation, _ prefixes: inout PrefixReplay?,
    _ parts: inout [ChoiceCourse.Part], count: Int
  ) -> Int? {
    let end = warmUp.requests(of: UInt64(count)).map { Int($0) }
    guard advance(simulation, &prefixes, upTo: end ?? count, untilFirstEviction: end == nil)
    else { return nil }
    let start = simulation.position
    if warmUp != .none { prefixes?.resetCounts() ?? simulation.resetCounts() }
    let isShort = count - start < ChoiceCourse.partsMax * 10
    if prefixes != nil || isShort, simulation.choice == nil {
      return advance(simulation, &prefixes, upTo: count) ? start : nil
    }
    var before = (requests: UInt64(0), hits: UInt64(0))
    for part in 1...ChoiceCourse.partsMax {
      let end =
        start + (count - start) / ChoiceCourse.partsMax * part
        + (count - start) % ChoiceCourse.partsMax * part / ChoiceCourse.partsMax
      guard advance(simulation, &prefixes, upTo: end) else { return nil }
      let counts = simulation.counts
      guard counts.requests > before.requests else { continue }
      parts.append(
        ChoiceCourse.Part(
          requests: counts.requests - before.requests, hits: counts.hits - before.hits,
          leading: simulation.choice?.leading ?? 0))
      before = (counts.requests, counts.hits)
    }
    return start
  }

  private func advance(
    _ simulation: any Simulation, _ prefixes: inout PrefixReplay?, upTo end: Int,
    untilFirstEviction: Bool = false
  ) -> Bool {
    while simulation.position < end {
      if cancellation.isRequested { return false }
      let start = simulation.position
      let last = min(start + Self.chunk, end)
      let stopped =
        prefixes?.run(upTo: last, untilFirstEviction: untilFirstEviction)
        ?? simulation.run(upTo: last, untilFirstEviction: untilFirstEviction)
      progress(simulation.position - start)
      if stopped { break }
    }
    return true
  }
}

extension PlannedCell {
  func watchingTrainings<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try GradientBoosting.watching(body)
    } catch let error as BoostingError {
      throw SweepError.training(cell, error)
    }
  }
}

extension Duration {
  var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
