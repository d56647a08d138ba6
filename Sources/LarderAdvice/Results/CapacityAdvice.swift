/// What is advised at one capacity.
package struct CapacityAdvice: Sendable, Hashable, Codable {
  /// The capacity.
  package var capacity: UInt64
  /// How it was written, such as `1%`.
  package var label: String
  /// The design that is advised: LRU where it does not matter.
  package var advised: DesignResult
  /// LRU.
  package var lru: DesignResult
  /// The design that was chosen where it does matter.
  package var chosen: DesignResult
  /// The design that turned out best on the scored part, of those replayed in full.
  package var hindsight: DesignResult
  /// The designs that were replayed in full and come after the chosen one, the best first.
  package var runnersUp: [DesignResult]
  /// False where the best is within 0.2 points of LRU.
  package var matters: Bool
  /// Points by which the best of all designs may be above the advised one.
  package var regretBoundPoints: Double
  /// Whether all designs were replayed in full.
  package var isExhaustive: Bool
  /// The capacity from which on LRU has the hit ratio of the advised design; nil where even the
  /// whole footprint is not enough, or nobody looked.
  package var lruCapacity: UInt64?
}
