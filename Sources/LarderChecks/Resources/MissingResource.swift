import LarderWorkloads

/// A figure that a baseline has of a cell and a run of this cell does not.
package struct MissingResource: Sendable, Hashable {
  /// The cell.
  package var name: CellName
  /// Which figure.
  package var resource: CheckResource
  /// What the baseline has.
  package var before: Double

  /// A missing figure; see the properties for the meaning of each part.
  package init(name: CellName, resource: CheckResource, before: Double) {
    self.name = name
    self.resource = resource
    self.before = before
  }
}
