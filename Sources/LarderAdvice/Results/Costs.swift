/// What designs cost in a month.
package struct Costs: Sendable, Hashable, Codable {
  /// The prices.
  package var prices: Prices
  /// Whether they are the example values.
  package var areExamples: Bool
  /// Gets in a month.
  package var monthlyGets: Double
  /// Cost without a cache.
  package var withoutCache: Double
  /// Cost of the recommended design by capacity.
  package var points: [CostPoint]
  /// The cheapest of them.
  package var cheapest: CostPoint
  /// Cost of the recommended capacity.
  package var recommended: CostPoint
  /// Seconds for which keeping an object of mean size in memory costs as much as fetching it.
  package var breakEvenMemorySeconds: Double?
  /// The same on flash.
  package var breakEvenFlashSeconds: Double?
  /// What the figures stand on.
  package var assumptions: [String]
}
