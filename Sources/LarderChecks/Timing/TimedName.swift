import LarderSimulation
import LarderWorkloads

/// What is timed: a cell, simulated or executed.
package struct TimedName: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The cell.
  package var cell: CellName
  /// Whether policies are simulated or a real cache is driven, in one thread.
  package var mode: Timing.Mode

  /// A name; see the properties for the meaning of each part.
  package init(cell: CellName, mode: Timing.Mode) {
    self.cell = cell
    self.mode = mode
  }

  /// `memory/lru/1%`, with `, executed` behind it where a real cache was driven.
  package var description: String { "\(cell)" + (mode == .execute ? ", executed" : "") }
}

/// A cell to be timed.
package struct TimedCell: Sendable, Hashable {
  /// What it is called.
  package var name: TimedName
  /// The cell.
  package var planned: PlannedCell

  /// What a plan has to be timed: each cell as it is run, out of those that `spec` lets pass.
  package static func all(
    of cells: [PlannedCell], timed spec: CheckSpec, amongTraces: Bool
  ) -> [TimedCell] {
    cells.filter { spec.times($0.cell) }.flatMap { planned in
      var modes: [Timing.Mode] = planned.isSimulated ? [.simulate] : []
      if planned.isExecuted { modes.append(.execute) }
      return modes.map { mode in
        let name = CellName(planned.cell, amongTraces: amongTraces)
        return TimedCell(name: TimedName(cell: name, mode: mode), planned: planned)
      }
    }
  }
}

extension CheckSpec {
  /// Whether a cell is timed.
  func times(_ cell: Cell) -> Bool {
    let tiers = cell.policy.split(separator: "+").map(String.init) + [cell.policy]
    return timed.configurations?.contains(cell.configuration) ?? true
      && timed.policies?.contains { tiers.contains($0.description) } ?? true
      && timed.capacities?.contains { $0.description == cell.capacityLabel } ?? true
  }
}
