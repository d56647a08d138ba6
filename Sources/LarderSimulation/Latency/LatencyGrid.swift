import LarderWorkloads

/// Distributions as sorted lists of equally likely values.
enum LatencyGrid {
  /// Values for a distribution on its own, and at most for a sum.
  static let alone = 4096
  /// Values for the widest of several distributions.
  static let widest = 2048
  /// Values for each of the others.
  static let others = 256

  /// The sum of independent draws from all distributions.
  static func sum(of distributions: [LatencyDistribution]) -> [Double] {
    let constant = distributions.filter(\.isConstant).reduce(0) { $0 + $1.quantile(0.5) }
    let random = distributions.filter { !$0.isConstant }
      .sorted { spread($0) < spread($1) }
    guard let last = random.last else { return [constant] }
    guard random.count > 1 else { return last.grid(limit: alone).map { $0 + constant } }
    // Narrow ones first, so that the one that matters most is taken at its finest.
    var narrow = [constant]
    for distribution in random.dropLast() {
      narrow = thinned(sums(narrow, slices(of: distribution)), to: others)
    }
    return thinned(sums(narrow, last.grid(limit: widest)), to: alone)
  }

  /// How many of the sorted values are not above `time`. Logarithmic.
  static func count(in grid: [Double], notAbove time: Double) -> Int {
    var low = 0
    var high = grid.count
    while low < high {
      let middle = (low + high) / 2
      if grid[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The distribution by the means of its slices, which keep the weight of a long tail.
  private static func slices(of distribution: LatencyDistribution) -> [Double] {
    thinned(distribution.grid(limit: alone), to: others)
  }

  private static func spread(_ distribution: LatencyDistribution) -> Double {
    distribution.quantile(0.99) - distribution.quantile(0.01)
  }

  private static func sums(_ left: [Double], _ right: [Double]) -> [Double] {
    var all: [Double] = []
    all.reserveCapacity(left.count * right.count)
    for value in left { for other in right { all.append(value + other) } }
    return all.sorted()
  }

  /// At most `limit` values: the means of runs as equal in length as can be.
  private static func thinned(_ sorted: [Double], to limit: Int) -> [Double] {
    guard sorted.count > limit else { return sorted }
    return (0..<limit).map { index in
      let run = sorted[index * sorted.count / limit..<(index + 1) * sorted.count / limit]
      return run.reduce(0, +) / Double(run.count)
    }
  }
}
