/// What counts the hits of a pass over an LRU stack by the capacity that each of them takes.
protocol DistanceCounter: ~Copyable {
  /// A request that is a hit from capacity `depth` on.
  mutating func count(_ depth: UInt64)

  /// Hits at each capacity that is counted, in ascending order.
  func cumulative() -> [UInt64]
}
