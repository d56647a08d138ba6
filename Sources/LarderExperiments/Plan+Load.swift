public import LarderTraces

extension Plan {
  /// Checks that the traces have what the load of executed cells asks for, before the first cell is
  /// run.
  ///
  /// - Throws: `PlanError.noTimes` where a trace has no times to keep.
  public static func checkLoad(
    of cells: [PlannedCell], in workload: Workload, over traces: some Collection<PreparedTrace>
  ) throws(PlanError) {
    guard case .trace = workload.execution?.load, cells.contains(where: \.isExecuted) else {
      return
    }
    for trace in traces where trace.requests.times == nil { throw .noTimes(trace: trace.name) }
  }
}
