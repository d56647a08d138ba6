/// What a workload file says of advice: the decision that is made for its traces, beside the cells.
package struct AdviseSpec: Sendable, Hashable {
  /// The capacities; empty for a few shares of the footprint.
  package var capacities: [CapacitySpec] = []
  /// Which tiers a design may have.
  package var tiers = AdviceTiers.auto
  /// File with prices, relative to the workload file's folder; nil for the example values.
  package var prices: String?
  /// The share of the requests that designs are chosen on; nil to choose and score on all.
  package var learned: Share? = Share(percent: 50)
  /// The time to search at a stated speed; nil for what each capacity has by default.
  package var budgetSeconds: UInt64?

  /// The defaults.
  package init() {}
}

/// Which tiers a design may have.
package enum AdviceTiers: String, Sendable, Hashable, Codable, CaseIterable {
  /// Memory alone.
  case memory
  /// Disk alone.
  case disk
  /// Memory in front of disk.
  case hybrid
  /// Memory, and whether a disk behind it pays.
  case auto
}
