/// What a time to live costs in hits.
package struct LifetimePoint: Sendable, Hashable, Codable {
  /// The time to live, seconds: no hit is older.
  package var seconds: UInt32
  /// Hit ratio on the scored part.
  package var hitRatio: Double
  /// Points below the same cache without a time to live.
  package var lostPoints: Double
  /// Hits on copies that the origin has changed since, per get; nil where the trace has no changes.
  package var staleRatio: Double?
}
