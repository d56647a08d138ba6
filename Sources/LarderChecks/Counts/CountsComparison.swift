import LarderEngine
import LarderWorkloads

/// The counts of one run beside those of another.
package struct CountsComparison: Sendable, Hashable {
  /// Cells that both have and that changed, in order.
  package var changes: [CellChange]
  /// Cells that only the later run has, in order.
  package var new: [CheckedCell]
  /// Cells that only the earlier run has, in order.
  package var missing: [CheckedCell]
  /// Cells that both have.
  package var compared: Int
  /// Whether every change fails a check, and not only a loss.
  package var isExact: Bool

  /// Compares two runs by the names of their cells; of two with one name the first counts.
  /// O(n log n).
  package init(
    from before: [CheckedCell], to after: [CheckedCell],
    tolerances: [CheckTolerance: Share] = [:], exact: Bool = false
  ) {
    isExact = exact
    let old = Dictionary(before.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    let new = Dictionary(after.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.new = new.values.filter { old[$0.name] == nil }.sorted()
    missing = old.values.filter { new[$0.name] == nil }.sorted()
    let pairs = new.values.sorted().compactMap { cell in old[cell.name].map { ($0, cell) } }
    compared = pairs.count
    changes = pairs.compactMap { CellChange(from: $0, to: $1, tolerances: tolerances) }
  }

  /// The changes of one kind.
  package func changes(_ kind: CellChange.Kind) -> [CellChange] {
    changes.filter { $0.kind == kind }
  }

  /// The changes for which a check fails.
  package var failing: [CellChange] { changes.filter(fails) }

  /// Whether a check fails for a change.
  package func fails(_ change: CellChange) -> Bool {
    change.kind == .worse || isExact && change.kind != .tolerated
  }

  /// Whether the two say the same.
  package var isEmpty: Bool { changes.isEmpty && new.isEmpty && missing.isEmpty }
}
