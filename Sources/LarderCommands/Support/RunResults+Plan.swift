import LarderHarness
import LarderReports
import LarderSimulation
import LarderWorkloads

extension RunResults {
  /// Results of a plan, without records yet.
  ///
  /// - Parameter file: The workload file, for the command that repeats the run.
  init(of plan: RunPlan, of workload: Workload, file: String, threads: Int) {
    self.init(
      workload: workload.name, workloadDescription: workload.description,
      command: "\(ShellText.command([LarderProgram.name, "run"])) \(ShellWord.path(file))",
      started: RunDirectory.timestamp(), plannedCells: plan.cells.count, threads: threads,
      machine: .current(), traces: plan.facts,
      latencyModel: workload.latency?.describe(for: Set(plan.cells.map(\.cell.kind))),
      warmUp: workload.warmUp.description,
      execution: ExecutionConditions(
        workload.execution ?? ExecutionSpec(), cells: plan.cells,
        repetitions: workload.repetitions, hasLatency: workload.latency != nil),
      caches: CacheFacts.all(of: plan.cells),
      notes: plan.notes + Plan.notes(of: plan.cells, in: workload))
    assumptions = ConfigurationAssumptions.all(of: workload)
  }
}
