import LarderWorkloads

/// Figures of memory and disk held against the baseline's.
package struct ResourceComparison: Sendable, Hashable {
  /// What changed by more than its threshold, in the order of the cells.
  package var changes: [ResourceChange]
  /// What the earlier run measured and the later did not, in the order of the cells: a threshold
  /// that guards nothing.
  package var missing: [MissingResource] = []
  /// How many figures were compared.
  package var compared: Int
  /// Whether there are instructions among them.
  package var hasInstructions = false

  /// What got worse.
  package var worse: [ResourceChange] { changes.filter(\.isWorse) }

  /// Whether nothing was compared and nothing is missing.
  package var isEmpty: Bool { compared == 0 && missing.isEmpty }

  /// A comparison; see the properties for the meaning of each part.
  package init(changes: [ResourceChange] = [], compared: Int = 0) {
    self.changes = changes
    self.compared = compared
  }

  /// Compares the figures that both have, and lists those that only the earlier has of cells that
  /// both ran; nothing where the systems differ. O(cells).
  ///
  /// - Parameter cells: The cells of the later run: others are missing as a whole, which the
  ///   comparison of counts reports.
  package init(
    from before: MeasuredResources, to after: MeasuredResources, of cells: some Sequence<CellName>,
    thresholds: [CheckResource: Share] = [:]
  ) {
    self.init()
    guard before.system == after.system else { return }
    let new = Dictionary(
      after.cells.map { ($0.name, $0.values) }, uniquingKeysWith: { first, _ in first })
    let ran = Set(cells)
    for cell in before.cells where ran.contains(cell.name) {
      for resource in CheckResource.allCases {
        guard let was = cell.values[resource] else { continue }
        guard let now = new[cell.name]?[resource] else {
          missing.append(MissingResource(name: cell.name, resource: resource, before: was))
          continue
        }
        compared += 1
        if resource == .instructionsPerRequest { hasInstructions = true }
        let threshold = thresholds[resource] ?? resource.threshold
        let allowed = was * Double(threshold.billionths) / 1e9
        guard (now - was).magnitude > allowed else { continue }
        changes.append(
          ResourceChange(
            name: cell.name, resource: resource, before: was, after: now, threshold: threshold))
      }
    }
  }
}
