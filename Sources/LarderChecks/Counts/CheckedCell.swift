import LarderEngine
import LarderSimulation

/// The counts of one cell as checks compare them.
package struct CheckedCell: Sendable, Hashable {
  /// Which cell.
  package var name: CellName
  /// The capacity in `unit`.
  package var size: UInt64
  /// What the capacity counts.
  package var unit: CapacityUnit
  /// The counts; what the cell does not have is not there.
  package var counts: [CheckMetric: UInt64]

  /// A cell; see the properties for the meaning of each part.
  package init(
    name: CellName, size: UInt64, unit: CapacityUnit, counts: [CheckMetric: UInt64]
  ) {
    self.name = name
    self.size = size
    self.unit = unit
    self.counts = counts
  }

  /// What a record holds. A cell that was executed and not simulated has the counts of its run in
  /// one thread, which are a function of the cell like those of a simulation.
  package init(_ record: Record, amongTraces: Bool) {
    var counts: [CheckMetric: UInt64] = [:]
    for metric in CheckMetric.allCases { counts[metric] = metric.value(in: record) }
    self.init(
      name: CellName(record.cell, amongTraces: amongTraces), size: record.cell.capacity,
      unit: record.cell.unit,
      counts: counts)
  }

  /// A count divided by what it is a part of; nil where it is no part or there was nothing.
  package func ratio(_ metric: CheckMetric) -> Double? {
    guard let part = counts[metric], let whole = metric.whole.flatMap({ counts[$0] }), whole > 0
    else { return nil }
    return Double(part) / Double(whole)
  }
}

extension CheckedCell: Comparable {
  /// By trace, configuration, policy, capacity and seed: the same in every run and on every
  /// machine.
  package static func < (left: CheckedCell, right: CheckedCell) -> Bool {
    let (a, b) = (left.name, right.name)
    if a.trace != b.trace { return a.trace ?? "" < b.trace ?? "" }
    if a.configuration != b.configuration { return a.configuration < b.configuration }
    if a.policy != b.policy { return a.policy < b.policy }
    if left.size != right.size { return left.size < right.size }
    if a.capacity != b.capacity { return a.capacity < b.capacity }
    return a.seed < b.seed
  }
}
