import Testing

@testable import LarderExperiments

@Suite struct LatencyDistributionTests {
  @Test func quantilesOfEachDistribution() throws {
    #expect(LatencyDistribution.constant(5).quantile(0.99) == 5)
    let normal = LatencyDistribution.normal(mean: 100, deviation: 10)
    #expect(abs(normal.quantile(0.5) - 100) < 1e-9)
    #expect(abs(normal.quantile(0.975) - 119.59963984540054) < 1e-9)
    let logNormal = LatencyDistribution.logNormal(median: 80, sigma: 0.5)
    #expect(abs(logNormal.quantile(0.5) - 80) < 1e-9)
    #expect(abs(logNormal.quantile(0.99) - 256.00592063543695) < 1e-9)
    let samples = try #require(LatencySamples([30, 10, 20, 40]))
    let empirical = LatencyDistribution.empirical(samples)
    #expect(empirical.quantile(0.1) == 10)
    #expect(empirical.quantile(0.49) == 20)
    #expect(empirical.quantile(0.99) == 40)
    #expect(LatencySamples([]) == nil)
  }

  /// A normal distribution with mean 0 keeps its upper half: its median is the upper quartile of
  /// the whole, and its mean is sqrt(2 / pi) deviations.
  @Test func normalIsTruncatedAtZero() {
    let half = LatencyDistribution.normal(mean: 0, deviation: 10)
    #expect(abs(half.quantile(0.5) - 6.744897501960817) < 1e-9)
    #expect(abs(half.mean - 7.978845608028654) < 1e-9)
    #expect(half.quantile(1e-12) >= 0)
    // Mean 100, deviation 100: truncated at -1. Mean of the rest: 100 + 100 phi(1) / Phi(1).
    let cut = LatencyDistribution.normal(mean: 100, deviation: 100)
    #expect(abs(cut.mean - 128.75999709391783) < 1e-7)
  }

  @Test(arguments: [
    LatencyDistribution.constant(7), .normal(mean: 50, deviation: 40),
    .normal(mean: 1e6, deviation: 10), .logNormal(median: 1000, sigma: 0.7),
    .normal(mean: 3, deviation: 0), .logNormal(median: 3, sigma: 0),
  ])
  func meanAgreesWithTheQuantiles(_ distribution: LatencyDistribution) {
    let slices = 20_000
    let sum = (0..<slices).reduce(0.0) {
      $0 + distribution.quantile((Double($1) + 0.5) / Double(slices))
    }
    #expect(abs(sum / Double(slices) / distribution.mean - 1) < 1e-3)
  }

  @Test func standardNormalMatchesPublishedValues() {
    #expect(StandardNormal.below(0) == 0.5)
    #expect(abs(StandardNormal.below(1) - 0.8413447460685429) < 1e-14)
    #expect(abs(StandardNormal.below(-1.959963984540054) - 0.025) < 1e-15)
    #expect(StandardNormal.below(-6) > 9.8e-10 && StandardNormal.below(-6) < 9.9e-10)
    #expect(StandardNormal.below(-50) == 0)
    #expect(StandardNormal.below(50) == 1)
  }

  @Test func constantsAreRecognised() throws {
    #expect(LatencyDistribution.constant(1).isConstant)
    #expect(LatencyDistribution.normal(mean: 1, deviation: 0).isConstant)
    #expect(!LatencyDistribution.logNormal(median: 1, sigma: 0.1).isConstant)
    let equal = try #require(LatencySamples([2, 2]))
    #expect(LatencyDistribution.empirical(equal).isConstant)
    let unequal = try #require(LatencySamples([2, 3]))
    #expect(!LatencyDistribution.empirical(unequal).isConstant)
  }
}
