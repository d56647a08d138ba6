/// Hits of a cache at some capacities, estimated from a sample of the objects.
public struct SampledHits: Sendable, Hashable {
  /// Gets of the trace.
  public var requests: UInt64
  /// How many gets those of the sample stand for: each for one over the rate.
  public var represented: Double
  /// Hits that those of the sample stand for, at each capacity.
  public var hits: [Double]

  /// An estimate; see the properties for the meaning of each part.
  public init(requests: UInt64, represented: Double, hits: [Double]) {
    self.requests = requests
    self.represented = represented
    self.hits = hits
  }

  /// The hit ratios, corrected as SHARDS-adj does: what the sample has too many or too few requests
  /// are those of a few popular objects, which are hits at nearly any capacity. Empty without
  /// requests.
  ///
  /// Waldspurger, Park, Garthwaite and Ahmad, Efficient MRC construction with SHARDS, FAST 2015,
  /// section 3.4.
  public var hitRatios: [Double] {
    guard requests > 0 else { return [] }
    let all = Double(requests)
    return hits.map { min(1, max(0, ($0 + (all - represented)) / all)) }
  }
}
