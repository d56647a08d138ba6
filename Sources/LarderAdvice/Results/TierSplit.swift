import LarderEngine

/// Memory in front of disk.
package struct TierSplit: Sendable, Hashable, Codable {
  /// Capacity of memory.
  package var memory: UInt64
  /// Capacity of disk; 0 for memory alone.
  package var disk: UInt64
  /// The policy in memory, with its filter.
  package var memoryPolicy: String
  /// The policy on disk; nil for memory alone.
  package var diskPolicy: String?
  /// Which tiers hold an object; nil for memory alone.
  package var inclusion: HybridRules.Inclusion?
  /// Hits in memory per get.
  package var memoryHitRatio: Double
  /// Hits on disk per get.
  package var diskHitRatio: Double
  /// What is written to disk per get, in the unit of the capacities.
  package var writtenPerGet: Double
  /// Cost in a month.
  package var monthlyCost: Double
  /// Whether it is from a sample.
  package var isEstimate: Bool
}
