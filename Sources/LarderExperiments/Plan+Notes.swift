import LarderEngine

extension Plan {
  /// What a reader must know of how cells are run.
  public static func notes(of cells: [PlannedCell], in workload: Workload) -> [String] {
    guard workload.modes.contains(.execute) else {
      return workload.execution == nil
        ? [] : ["The key 'execute' was not used: 'mode' has no execute."]
    }
    let future = cells.filter { !$0.isExecuted && usesFuture($0) }.map(\.cell.policy)
    guard !future.isEmpty else { return [] }
    var seen: Set<String> = []
    let names = future.filter { seen.insert($0).inserted }.joined(separator: ", ")
    return ["Simulated only, because no real cache knows the future: \(names)."]
  }

  private static func usesFuture(_ planned: PlannedCell) -> Bool {
    switch planned.setup.arrangement {
    case .memory(let tier), .disk(let tier): PolicyRegistry.needsFuture(tier.policy)
    case .hybrid(let memory, let disk, _):
      PolicyRegistry.needsFuture(memory.policy) || PolicyRegistry.needsFuture(disk.policy)
    }
  }
}
