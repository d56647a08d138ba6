import LarderWorkloads

/// What a cell is called where runs are compared: what it was in the workload file, so that a cell
/// keeps its name when its trace, and with it the objects that `1%` come to, changes.
package struct CellName: Sendable, Hashable, Codable {
  /// The name of the configuration.
  package var configuration: String
  /// The policy; for a hybrid both.
  package var policy: String
  /// The capacity as it was written.
  package var capacity: String
  /// The seed.
  package var seed: UInt64

  /// A name; see the properties for the meaning of each part.
  package init(configuration: String, policy: String, capacity: String, seed: UInt64) {
    self.configuration = configuration
    self.policy = policy
    self.capacity = capacity
    self.seed = seed
  }

  /// The name of a cell.
  package init(_ cell: Cell) {
    self.init(
      configuration: cell.configuration, policy: cell.policy, capacity: cell.capacityLabel,
      seed: cell.seed)
  }
}

extension CellName: CustomStringConvertible {
  /// `memory/lru/1%`, and `memory/lru/1%@7` for a seed other than 1.
  package var description: String {
    "\(configuration)/\(policy)/\(capacity)" + (seed == 1 ? "" : "@\(seed)")
  }
}
