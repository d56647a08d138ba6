import LarderWorkloads

/// What a cell is called where runs are compared: what it was in the workload file, so that a cell
/// keeps its name when its trace, and with it the objects that `1%` come to, changes.
package struct CellName: Sendable, Hashable, Codable {
  /// The trace, where the workload has several; nil where it has one.
  package var trace: String?
  /// The name of the configuration.
  package var configuration: String
  /// The policy; for a hybrid both.
  package var policy: String
  /// The capacity as it was written.
  package var capacity: String
  /// The seed.
  package var seed: UInt64

  /// A name; see the properties for the meaning of each part.
  package init(
    trace: String? = nil, configuration: String, policy: String, capacity: String, seed: UInt64
  ) {
    self.trace = trace
    self.configuration = configuration
    self.policy = policy
    self.capacity = capacity
    self.seed = seed
  }

  /// The name of a cell; with its trace, if it is `amongTraces`: the workload has several.
  package init(_ cell: Cell, amongTraces: Bool) {
    self.init(
      trace: amongTraces ? cell.trace : nil, configuration: cell.configuration, policy: cell.policy,
      capacity: cell.capacityLabel,
      seed: cell.seed)
  }
}

extension CellName: CustomStringConvertible {
  /// `memory/lru/1%`, `memory/lru/1%@7` for a seed other than 1, and `web: memory/lru/1%` for a
  /// trace among others.
  package var description: String {
    (trace.map { "\($0): " } ?? "") + "\(configuration)/\(policy)/\(capacity)"
      + (seed == 1 ? "" : "@\(seed)")
  }
}
