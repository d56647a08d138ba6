import LarderEngine
import LarderTraces
import LarderWorkloads

extension Plan {
  /// Checks against the traces what only they can tell, before the first cell is run: that they
  /// have the times which a load keeps and the costs that stand for the origin's times, that bounds
  /// are asked for where they are some, and that the values of executed cells fit into memory.
  ///
  /// - Throws: `PlanError.noTimes`, `PlanError.noCosts`, `PlanError.bound` or `PlanError.memory`.
  package static func check(
    _ cells: [PlannedCell], of workload: Workload, over traces: TraceTable
  ) throws(PlanError) {
    try check(cells, of: workload, over: traces, memory: .machine)
  }

  /// The same within a budget of memory.
  static func check(
    _ cells: [PlannedCell], of workload: Workload, over traces: TraceTable,
    memory: MemoryBudget
  ) throws(PlanError) {
    if case .trace = workload.execution?.load, cells.contains(where: \.isExecuted) {
      for trace in traces.all where trace.requests.times == nil {
        throw .noTimes(trace: trace.name)
      }
    }
    if workload.latency?.isOriginFromTrace ?? false {
      for trace in traces.all where trace.requests.costs == nil {
        throw .noCosts(trace: trace.name)
      }
    }
    // A cache with a policy of its own is not simulated, and its policy not known here.
    for planned in cells where planned.isSimulated {
      guard let trace = traces[planned.cell] else { continue }
      try checkTime(of: planned, over: trace)
      if planned.prefix != nil, trace.prompts == nil {
        throw .noPrompts(configuration: planned.cell.configuration, trace: planned.cell.trace)
      }
      do {
        try PolicyRegistry.checkBound(in: planned.setup, over: trace.requests)
      } catch {
        throw .bound(error, configuration: planned.cell.configuration)
      }
    }
    let executed = cells.filter(\.isExecuted)
    guard !executed.isEmpty else { return }
    let valueBytes = (workload.execution ?? ExecutionSpec()).valueBytes
    let available = memory.available()
    for name in Set(executed.map(\.cell.trace)).sorted() {
      let own = executed.filter { $0.cell.trace == name }
      guard let trace = own.first.flatMap({ traces[$0.cell] }) else { continue }
      let memory = ExecutionMemory(trace, valueBytes: valueBytes)
      for planned in own {
        let need = memory.need(of: planned.setup)
        guard need > available else { continue }
        throw .memory(
          configuration: planned.cell.configuration, capacity: planned.cell.capacityLabel,
          trace: name, needBytes: need, availableBytes: available)
      }
    }
  }

  /// Refuses fetches whose time or bytes the trace cannot tell.
  private static func checkTime(
    of planned: PlannedCell, over trace: PreparedTrace
  ) throws(PlanError) {
    guard let time = planned.setup.time else { return }
    let cell = planned.cell
    if time.clock == .trace, trace.requests.times == nil {
      throw .noTimesForFetches(configuration: cell.configuration, trace: cell.trace)
    }
    if time.bytesPerSecond != nil, trace.requests.sizes == nil {
      throw .noSizesForFetches(configuration: cell.configuration, trace: cell.trace)
    }
  }
}
