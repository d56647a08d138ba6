import Foundation
import Testing

@testable import LarderTraces

/// The sampler against the exact probabilities.
struct ZipfSamplerTests {
  /// Pearson's chi-square over ranks, neighbours joined until each cell expects at least 20 draws;
  /// as a normal deviate (Wilson and Hilferty 1931), so that any number of cells has one limit.
  private func deviate(counts: [Int], weights: [Double]) -> Double {
    let draws = Double(counts.reduce(0, +))
    let total = weights.reduce(0, +)
    var chiSquare = 0.0
    var cells = 0.0
    var expected = 0.0
    var found = 0.0
    for (count, weight) in zip(counts, weights) {
      expected += draws * weight / total
      found += Double(count)
      if expected >= 20 {
        chiSquare += (found - expected) * (found - expected) / expected
        cells += 1
        (expected, found) = (0, 0)
      }
    }
    // The rest is a cell of its own if it expects any draws.
    if expected > 1 {
      chiSquare += (found - expected) * (found - expected) / expected
      cells += 1
    }
    let freedom = cells - 1
    let spread = 2 / (9 * freedom)
    return (pow(chiSquare / freedom, 1 / 3.0) - (1 - spread)) / spread.squareRoot()
  }

  @Test(
    arguments: [0, 0.2, 0.5, 0.99, 1, 1.2, 1.5, 2.5], [2, 31, 33, 1000, 50_000]
  )
  func ranksHaveTheirExactProbabilities(exponent: Double, count: Int) {
    let sampler = ZipfSampler(count: count, exponent: exponent)
    var random = RandomStream(seed: 42 &+ UInt64(count), purpose: UInt64(exponent * 100))
    var counts = [Int](repeating: 0, count: count)
    for _ in 0..<400_000 { counts[Int(sampler.rank(&random)) - 1] += 1 }
    let weights = (1...count).map { pow(Double($0), -exponent) }
    // Seeds are fixed, so this is reproducible: 4 is exceeded once in 30,000.
    #expect(abs(deviate(counts: counts, weights: weights)) < 4)
  }

  /// An exponent that is off by 2 % must not pass: the test above can fail.
  @Test func aWrongExponentIsFound() {
    let sampler = ZipfSampler(count: 1000, exponent: 1.02)
    var random = RandomStream(seed: 1)
    var counts = [Int](repeating: 0, count: 1000)
    for _ in 0..<400_000 { counts[Int(sampler.rank(&random)) - 1] += 1 }
    #expect(deviate(counts: counts, weights: (1...1000).map { 1 / Double($0) }) > 10)
  }

  @Test(arguments: [0, 0.7, 1, 3, 50, 1e5, 1e308]) func hugeCountsAndExponentsWork(exponent: Double)
  {
    let sampler = ZipfSampler(count: 4_294_967_294, exponent: exponent)
    var random = RandomStream(seed: 9)
    var largest: UInt64 = 0
    for _ in 0..<10_000 {
      let rank = sampler.rank(&random)
      #expect((1...4_294_967_294).contains(rank))
      largest = max(largest, rank)
    }
    if exponent == 0 { #expect(largest > 4_200_000_000) }
    if exponent >= 50 { #expect(largest == 1) }
  }

  @Test func oneObjectIsAlwaysRankOne() {
    let sampler = ZipfSampler(count: 1, exponent: 1)
    var random = RandomStream(seed: 1)
    for _ in 0..<100 { #expect(sampler.rank(&random) == 1) }
  }
}
