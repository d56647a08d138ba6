import LarderEngine
import LarderSystem
import LarderTraces
import LarderWorkloads

extension CellRunner {
  /// The records of cells that differ in the capacity alone, from one pass over the trace where
  /// their policy can do that, else from one for each; nil when they were stopped on the way. Their
  /// timings have equal shares of the time that the pass took.
  ///
  /// - Parameter hasPass: false where the policy itself is to be run.
  /// - Throws: as `run(_:over:)` for one cell.
  func run(
    _ cells: [PlannedCell], over trace: PreparedTrace, hasPass: Bool
  ) throws -> [Record]? {
    guard hasPass, let sweep = sweep(of: cells, over: trace) else {
      var records: [Record] = []
      for planned in cells {
        guard let record = try run(planned, over: trace) else { return nil }
        records.append(record)
      }
      return records
    }
    let count = trace.requests.count
    let start = ContinuousClock.now
    if let warmed = warmUp.requests(of: UInt64(count)) {
      guard advance(sweep, cells: cells.count, upTo: Int(warmed)) else { return nil }
      sweep.resetCounts()
    }
    guard advance(sweep, cells: cells.count, upTo: count) else { return nil }
    let seconds = (ContinuousClock.now - start).inSeconds / Double(cells.count)
    let memory = Double(sweep.stateBytes) / Double(trace.requests.objects)
    return zip(cells, sweep.counts).map { planned, counts in
      var record = Record(
        cell: planned.cell, counts: counts, objectsDistinct: UInt64(trace.requests.objects),
        modelled: nil)
      record.timings.append(
        Timing(
          mode: .simulate, threads: 1, repetition: 1, requests: UInt64(count), seconds: seconds,
          memoryBytesPerObject: memory))
      return record
    }
  }

  /// Whether cells of this kind may go together.
  func runsTogether(_ planned: PlannedCell) -> Bool {
    mayHavePass(planned) && PolicyRegistry.sweepsCapacities(planned.setup)
  }

  /// Whether a pass may stand for the policy: where a cell is timed several times the policy is
  /// timed, and a warm-up that ends with an eviction ends at another request at each capacity.
  private func mayHavePass(_ planned: PlannedCell) -> Bool {
    repetitions <= 1 && calculators == nil && warmUp.requests(of: 0) != nil
      && planned.prefix == nil && planned.layout == nil && planned.setup.unit == .objects
  }

  private func sweep(of cells: [PlannedCell], over trace: PreparedTrace) -> CapacitySweep? {
    // What is executed is compared with the policy itself.
    guard cells.allSatisfy({ mayHavePass($0) && !$0.isExecuted }) else { return nil }
    return PolicyRegistry.makeSweep(cells.map(\.setup), over: trace.requests)
  }

  private func advance(_ sweep: CapacitySweep, cells: Int, upTo end: Int) -> Bool {
    while sweep.position < end {
      if cancellation.isRequested { return false }
      let start = sweep.position
      sweep.run(upTo: min(start + Self.chunk, end))
      progress((sweep.position - start) * cells)
    }
    return true
  }
}
