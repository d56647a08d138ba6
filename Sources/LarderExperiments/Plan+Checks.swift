import LarderEngine
public import LarderTraces

extension Plan {
  /// Checks against the traces what only they can tell, before the first cell is run: that they
  /// have the times which a load keeps, and that bounds are asked for where they are some.
  ///
  /// - Throws: `PlanError.noTimes` or `PlanError.bound`.
  public static func check(
    _ cells: [PlannedCell], of workload: Workload, over traces: some Collection<PreparedTrace>
  ) throws(PlanError) {
    if case .trace = workload.execution?.load, cells.contains(where: \.isExecuted) {
      for trace in traces where trace.requests.times == nil { throw .noTimes(trace: trace.name) }
    }
    // A cache with a policy of its own is not simulated, and its policy not known here.
    for planned in cells where planned.isSimulated {
      for trace in traces {
        do {
          try PolicyRegistry.checkBound(in: planned.setup, over: trace.requests)
        } catch {
          throw .bound(error, configuration: planned.cell.configuration)
        }
      }
    }
  }
}
