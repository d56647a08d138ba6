import LarderWorkloads

extension Workload {
  /// The cells to run over traces that are prepared, checked against them.
  ///
  /// - Throws: `UsageError` with the file and the line, where one is known.
  func cells(over traces: WorkloadTraces) throws(UsageError) -> [PlannedCell] {
    do {
      let cells = try Plan.cells(of: self, facts: traces.facts)
      try Plan.check(cells, of: self, over: traces.table)
      return cells
    } catch {
      throw UsageError(message(for: error))
    }
  }
}
