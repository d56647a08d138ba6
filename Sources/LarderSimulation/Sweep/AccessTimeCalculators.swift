import LarderEngine
import LarderWorkloads

/// The calculators of one latency model, each made once and shared by all cells of its kind.
struct AccessTimeCalculators: Sendable {
  private struct Key: Hashable {
    var kind: ConfigurationKind
    var unit: CapacityUnit
  }

  private let calculators: [Key: AccessTimeCalculator]

  /// Calculators for all that the cells need.
  init(model: LatencyModel, cells: [PlannedCell]) {
    var calculators: [Key: AccessTimeCalculator] = [:]
    for planned in cells {
      let key = Key(kind: planned.cell.kind, unit: planned.cell.unit)
      guard calculators[key] == nil else { continue }
      calculators[key] = AccessTimeCalculator(model: model, kind: key.kind, unit: key.unit)
    }
    self.calculators = calculators
  }

  /// The modelled access time of a cell, nil without requests.
  func accessTime(of outcomes: OutcomeSizes, in cell: Cell) -> ModelledAccessTime? {
    calculators[Key(kind: cell.kind, unit: cell.unit)]?.accessTime(of: outcomes)
  }
}
