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
