/// How a trace's requests are spread over its objects.
public struct PopularityAnalysis: Sendable, Hashable {
  /// The Zipf law that fits best; nil when there are fewer than two objects.
  public let zipf: ZipfFit?
  /// Share of all requests that go to the most popular object; nil without requests.
  public let topOneShare: Double?
  /// Share that goes to the ten most popular objects.
  public let topTenShare: Double?
  /// Share that goes to the hundred most popular objects.
  public let topHundredShare: Double?
  /// Share that goes to the most popular 1 % of the objects (rounded up).
  public let topPercentShare: Double?
  /// Share that goes to the most popular 10 % of the objects (rounded up).
  public let topTenPercentShare: Double?

  /// Looks at the numbers of requests of all objects.
  ///
  /// - Complexity: O(objects log objects).
  public init(counts: [UInt32]) {
    let ranked = counts.sorted(by: >)
    let total = ranked.reduce(into: 0) { $0 += Int($1) }
    func share(_ objects: Int) -> Double? {
      guard total > 0 else { return nil }
      return Double(ranked.prefix(objects).reduce(into: 0) { $0 += Int($1) }) / Double(total)
    }
    topOneShare = share(1)
    topTenShare = share(10)
    topHundredShare = share(100)
    topPercentShare = share((ranked.count + 99) / 100)
    topTenPercentShare = share((ranked.count + 9) / 10)
    zipf = ZipfFit(ranked: ranked)
  }
}
