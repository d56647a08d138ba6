import LarderEngine

extension Plan {
  /// What a reader must know of how cells are run.
  package static func notes(of cells: [PlannedCell], in workload: Workload) -> [String] {
    let bounds = boundNotes(workload)
    guard workload.modes.contains(.execute) else {
      return bounds
        + (workload.execution == nil
          ? [] : ["The key 'execute' has no effect: 'mode' does not include execute."])
    }
    let future = cells.filter { !$0.isExecuted && usesFuture($0) }.map(\.cell.policy)
    guard !future.isEmpty else { return bounds }
    var seen: Set<String> = []
    let names = future.filter { seen.insert($0).inserted }.joined(separator: ", ")
    return bounds + ["Simulated only, because real caches do not know the future: \(names)."]
  }

  /// Where bounds of the sweep were left out.
  private static func boundNotes(_ workload: Workload) -> [String] {
    let bounds = workload.policies.map(\.name).filter { PolicyRegistry.isBound($0) }
    let hybrids = workload.configurations.filter { $0.kind == .hybrid && $0.sweepsPolicies }
    guard !bounds.isEmpty, !hybrids.isEmpty else { return [] }
    return [
      "Bounds apply to one tier, so \(hybrids.map(\.name).joined(separator: ", ")) ran without "
        + "\(bounds.joined(separator: ", "))."
    ]
  }

  private static func usesFuture(_ planned: PlannedCell) -> Bool {
    switch planned.setup.arrangement {
    case .memory(let tier), .disk(let tier): PolicyRegistry.needsFuture(tier.policy)
    case .hybrid(let memory, let disk, _):
      PolicyRegistry.needsFuture(memory.policy) || PolicyRegistry.needsFuture(disk.policy)
    }
  }
}
