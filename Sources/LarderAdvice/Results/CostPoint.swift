/// Cost at a capacity.
package struct CostPoint: Sendable, Hashable, Codable {
  /// The capacity.
  package var capacity: UInt64
  /// Cost of memory in a month.
  package var memory: Double
  /// Cost of misses in a month.
  package var misses: Double
  /// The sum.
  package var total: Double
}
