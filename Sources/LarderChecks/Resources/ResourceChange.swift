import LarderWorkloads

/// A figure of memory or disk that changed by more than its threshold.
package struct ResourceChange: Sendable, Hashable {
  /// The cell.
  package var name: CellName
  /// Which figure.
  package var resource: CheckResource
  /// What the baseline has.
  package var before: Double
  /// What it is.
  package var after: Double
  /// The change that is allowed, as a share of the baseline's figure.
  package var threshold: Share

  /// A change; see the properties for the meaning of each part.
  package init(
    name: CellName, resource: CheckResource, before: Double, after: Double, threshold: Share
  ) {
    self.name = name
    self.resource = resource
    self.before = before
    self.after = after
    self.threshold = threshold
  }

  /// Whether there is more of it: less is better of every figure.
  package var isWorse: Bool { after > before }
}

/// Figures of memory and disk held against the baseline's.
package struct ResourceComparison: Sendable, Hashable {
  /// What changed by more than its threshold, in the order of the cells.
  package var changes: [ResourceChange]
  /// How many figures were compared.
  package var compared: Int
  /// Whether there are instructions among them.
  package var hasInstructions = false

  /// What got worse.
  package var worse: [ResourceChange] { changes.filter(\.isWorse) }

  /// A comparison; see the properties for the meaning of each part.
  package init(changes: [ResourceChange] = [], compared: Int = 0) {
    self.changes = changes
    self.compared = compared
  }

  /// Compares the figures that both have; nothing where the systems differ. O(cells).
  package init(
    from before: MeasuredResources, to after: MeasuredResources,
    thresholds: [CheckResource: Share] = [:]
  ) {
    self.init()
    guard before.system == after.system else { return }
    let old = Dictionary(
      before.cells.map { ($0.name, $0.values) }, uniquingKeysWith: { first, _ in first })
    for cell in after.cells {
      for resource in CheckResource.allCases {
        guard let was = old[cell.name]?[resource], let new = cell.values[resource] else { continue }
        compared += 1
        if resource == .instructionsPerRequest { hasInstructions = true }
        let threshold = thresholds[resource] ?? resource.threshold
        let allowed = was * Double(threshold.billionths) / 1e9
        guard (new - was).magnitude > allowed else { continue }
        changes.append(
          ResourceChange(
            name: cell.name, resource: resource, before: was, after: new, threshold: threshold))
      }
    }
  }
}
