import LarderLibc

/// Distribution of a trace's requests over its objects: shares of all requests, nil without any.
package struct PopularityAnalysis: Sendable, Hashable {
  package let zipf: ZipfFit?
  package let topOneShare: Double?
  package let topTenShare: Double?
  package let topHundredShare: Double?
  /// Share of the most popular 1 % of the objects (rounded up).
  package let topPercentShare: Double?
  package let topTenPercentShare: Double?

  init(counts: [UInt32]) {
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

/// The Zipf law, 1 / rank^exponent, that best fits a trace's popularity.
package struct ZipfFit: Sendable, Hashable {
  package let exponent: Double
  /// Largest difference, over all ranks, between the trace's and the law's cumulative share of
  /// requests: 0 is a perfect fit, 0.02 a good one; above 0.1 the trace does not follow a Zipf law.
  package let distance: Double
  private static let exponentMaximum = 10.0

  init?(ranked: [UInt32]) {
    guard ranked.count > 1 else { return nil }
    let runs = ZipfFit.runs(ranked)
    var (total, logarithms) = (0.0, 0.0)
    for run in runs {
      total += Double(run.count) * Double(run.last - run.first + 1)
      // Sum of the logarithms of the ranks first...last.
      logarithms += Double(run.count) * (lgamma(Double(run.last + 1)) - lgamma(Double(run.first)))
    }
    guard total > 0 else { return nil }
    exponent = ZipfFit.exponent(logarithms / total, objects: ranked.count)
    distance = ZipfFit.distance(runs, total: total, exponent: exponent, objects: ranked.count)
  }

  /// Ranks first...last of objects with the same number of requests.
  private typealias Run = (first: Int, last: Int, count: UInt32)

  private static func runs(_ ranked: [UInt32]) -> [Run] {
    var runs: [Run] = []
    for (index, count) in ranked.enumerated() {
      if let last = runs.indices.last, runs[last].count == count {
        runs[last].last = index + 1
      } else {
        runs.append((index + 1, index + 1, count))
      }
    }
    return runs
  }

  /// The most likely exponent, by golden-section search.
  private static func exponent(_ meanLogarithm: Double, objects: Int) -> Double {
    let cost = { (s: Double) in s * meanLogarithm + log(HarmonicSums(exponent: s).sum(objects)) }
    let ratio = (5.0.squareRoot() - 1) / 2
    var (low, high) = (0.0, exponentMaximum)
    var (left, right) = (high - ratio * (high - low), low + ratio * (high - low))
    var (costLeft, costRight) = (cost(left), cost(right))
    while high - low > 1e-6 {
      if costLeft < costRight {
        (high, right, costRight) = (right, left, costLeft)
        left = high - ratio * (high - low)
        costLeft = cost(left)
      } else {
        (low, left, costLeft) = (left, right, costRight)
        right = low + ratio * (high - low)
        costRight = cost(right)
      }
    }
    return low < 1e-5 ? 0 : (low + high) / 2
  }

  /// Within a run the trace's cumulative share grows linearly while the law's is concave, so the
  /// largest difference may lie inside. The middle of long runs is checked as well.
  private static func distance(
    _ runs: [Run], total: Double, exponent: Double, objects: Int
  ) -> Double {
    let sums = HarmonicSums(exponent: exponent)
    let whole = sums.sum(objects)
    var (seen, largest) = (0.0, 0.0)
    for run in runs {
      let length = run.last - run.first + 1
      for part in length > 16 ? [length / 4, length / 2, length * 3 / 4, length] : [length] {
        let share = (seen + Double(run.count) * Double(part)) / total
        largest = max(largest, abs(share - sums.sum(run.first + part - 1) / whole))
      }
      seen += Double(run.count) * Double(length)
    }
    return largest
  }
}

struct HarmonicSums {
  let exponent: Double
  private let exact: [Double]
  private static let exactCount = 1000

  init(exponent: Double) {
    self.exponent = exponent
    exact = (1...Self.exactCount).reduce(into: [0.0]) { sums, rank in
      sums.append(sums[rank - 1] + pow(Double(rank), -exponent))
    }
  }

  /// Sum of r to the power of -s up to `rank`: term by term up to 1000, then by the Euler-Maclaurin
  /// formula, whose error there is below 1e-10 of the sum.
  func sum(_ rank: Int) -> Double {
    if rank < exact.count { return exact[max(0, rank)] }
    let s = exponent
    let (a, b) = (Double(HarmonicSums.exactCount), Double(rank))
    let integral = abs(s - 1) < 1e-9 ? log(b / a) : (pow(b, 1 - s) - pow(a, 1 - s)) / (1 - s)
    let ends = (pow(b, -s) - pow(a, -s)) / 2
    let slopes = s * (pow(a, -s - 1) - pow(b, -s - 1)) / 12
    return exact[HarmonicSums.exactCount] + integral + ends + slopes
  }
}
