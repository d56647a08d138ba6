import Foundation
import Testing

@testable import LarderTraces

/// The fit finds the exponent of generated counts.
@Suite
struct ZipfFitTests {
  /// Request counts that follow the law as closely as whole numbers can.
  private func counts(_ objects: Int, exponent: Double, requests: Double) -> [UInt32] {
    let sums = HarmonicSums(exponent: exponent)
    let whole = sums.sum(objects)
    // Differences of rounded cumulative shares, so that the total is kept.
    return (1...objects).map { rank in
      let before = (requests * sums.sum(rank - 1) / whole).rounded()
      return UInt32((requests * sums.sum(rank) / whole).rounded() - before)
    }.sorted(by: >)
  }

  @Test(arguments: [0.3, 0.6, 0.8, 0.99, 1.0, 1.01, 1.2, 1.5])
  func findsTheExponent(_ exponent: Double) throws {
    let ranked = counts(10_000, exponent: exponent, requests: 1e9)
    let fit = try #require(ZipfFit(ranked: ranked))
    #expect(abs(fit.exponent - exponent) < 0.002, "\(fit)")
    #expect(fit.distance < 0.002, "\(fit)")
  }

  @Test func equalPopularityHasExponentZero() throws {
    let fit = try #require(ZipfFit(ranked: [UInt32](repeating: 7, count: 5000)))
    #expect(fit.exponent == 0)
    #expect(fit.distance < 1e-9)
  }

  @Test func otherDistributionsHaveLargeDistance() throws {
    let ranked = [UInt32](repeating: 1000, count: 100) + [UInt32](repeating: 1, count: 9900)
    let fit = try #require(ZipfFit(ranked: ranked))
    #expect(fit.distance > 0.1, "\(fit)")
  }

  @Test func tooFewObjectsHaveNoLaw() {
    #expect(ZipfFit(ranked: []) == nil)
    #expect(ZipfFit(ranked: [5]) == nil)
    #expect(ZipfFit(ranked: [5, 1]) != nil)
  }

  @Test(arguments: [0, 0.5, 0.999_999_999_9, 1, 1.3, 3])
  func harmonicSumsEqualDirectSums(_ exponent: Double) {
    let sums = HarmonicSums(exponent: exponent)
    var slow = 0.0
    for rank in 1...20_000 {
      slow += pow(Double(rank), -exponent)
      if rank % 997 == 0 || rank < 5 || rank == 1001 {
        #expect(abs(sums.sum(rank) - slow) <= 1e-9 * slow, "\(rank)")
      }
    }
    #expect(sums.sum(0) == 0)
  }
}
