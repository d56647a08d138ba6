import LarderEngine
import LarderWorkloads

extension Sweep {
  /// The cells, by index, in the order given and in groups: each group is simulated in one pass
  /// over its trace. A cell that has a core for itself is in no group.
  func together(_ indices: [Int], _ runner: CellRunner) -> [[Int]] {
    guard sharesPasses, indices.count > threads else { return indices.map { [$0] } }
    var groups: [[Int]] = []
    var open: [Family: Int] = [:]
    for index in indices {
      let planned = cells[index]
      // What is executed is compared with the policy itself.
      guard !planned.isExecuted, runner.runsTogether(planned), let family = Family(planned) else {
        groups.append([index])
        continue
      }
      if let group = open[family], groups[group].count < CapacitySweep.capacitiesMax {
        groups[group].append(index)
      } else {
        open[family] = groups.count
        groups.append([index])
      }
    }
    return groups
  }

  /// What cells have in common that differ in the capacity alone.
  private struct Family: Hashable {
    var workload: String
    var trace: String
    var seed: UInt64
    var setup: SimulationSetup

    /// Nil for a cell of more than one tier.
    init?(_ planned: PlannedCell) {
      workload = planned.cell.workload
      trace = planned.cell.trace
      seed = planned.cell.seed
      setup = planned.setup
      switch setup.arrangement {
      case .memory(var tier):
        tier.capacity = 0
        setup.arrangement = .memory(tier)
      case .disk(var tier):
        tier.capacity = 0
        setup.arrangement = .disk(tier)
      case .hybrid: return nil
      }
    }
  }
}
