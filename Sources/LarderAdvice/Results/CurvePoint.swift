/// A point of a curve.
package struct CurvePoint: Sendable, Hashable, Codable {
  /// The capacity.
  package var capacity: UInt64
  /// Hit ratio on the scored part.
  package var hitRatio: Double
  /// Whether it is from a sample.
  package var isEstimate: Bool
}
