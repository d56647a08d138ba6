import Foundation
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// The signed-rank test, compared with worked examples and with enumeration.
@Suite struct SignedRankTests {
  /// Depression scores of nine patients before and after treatment: Hollander and Wolfe (1973),
  /// table 3.1. T+ is 5 for after - before, with a one-sided probability of 10 of 512.
  private static let differences = [
    0.878 - 1.83, 0.647 - 0.50, 0.598 - 1.62, 2.05 - 2.48, 1.06 - 1.68, 1.29 - 1.88, 1.06 - 1.55,
    3.14 - 3.06, 1.29 - 1.30,
  ]

  @Test func theWorkedExample() throws {
    #expect(SignedRank.critical(count: 9, tail: 10.0 / 512) == 5)
    #expect(SignedRank.critical(count: 9, tail: 9.99 / 512) == 4)
    // The book's interval of 96 %, with a probability of 10/512 on either side, is (-0.786,
    // -0.010).
    let interval = try #require(SignedRank.interval(Self.differences, tail: 10.0 / 512))
    #expect(abs(interval.centre + 0.46) < 1e-9)
    #expect(abs(interval.lower + 0.786) < 1e-9)
    #expect(abs(interval.upper + 0.010) < 1e-9)
  }

  /// Enumerates every assignment of signs to the ranks 1 to n.
  @Test(arguments: [1, 2, 3, 5, 8, 12])
  func criticalValuesMatchEnumeration(_ count: Int) {
    var sums: [Int: Int] = [:]
    for signs in 0..<(1 << count) {
      let sum = (0..<count).reduce(0) { $0 + (signs >> $1 & 1) * ($1 + 1) }
      sums[sum, default: 0] += 1
    }
    for tail in [0.3, 0.1, 0.05, 0.025, 0.01, 0.001] {
      var total = 0
      var expected: Int?
      for sum in 0...(count * (count + 1) / 4) {
        total += sums[sum] ?? 0
        if Double(total) / Double(1 << count) <= tail { expected = sum }
      }
      #expect(SignedRank.critical(count: count, tail: tail) == expected, "\(count), \(tail)")
    }
  }

  @Test func tooFewValuesHaveNoInterval() throws {
    #expect(SignedRank.critical(count: 5, tail: 0.03) == nil)
    #expect(SignedRank.critical(count: 0, tail: 0.5) == nil)
    #expect(SignedRank.interval([], tail: 0.5) == nil)
    let open = try #require(SignedRank.interval([1, 2, 3], tail: 0.01))
    #expect(open.centre == 2 && open.lower == -.infinity && open.upper == .infinity)
    #expect(open.verdict(border: 0) == .inconclusive)
  }

  @Test func oneOutlierWeighsNoMoreThanItsRank() throws {
    let values = (1...20).map { Double($0) / 1000 }
    let calm = try #require(SignedRank.interval(values, tail: 0.01))
    let wild = try #require(SignedRank.interval(values.dropLast() + [1000], tail: 0.01))
    #expect(wild.lower == calm.lower)
    #expect(wild.upper - calm.upper < 0.003)
  }

  @Test func verdictsFollowTheBorder() {
    let interval = CentreInterval(centre: 1, lower: 0.5, upper: 1.5)
    #expect(interval.verdict(border: 0.4) == .fail)
    #expect(interval.verdict(border: 0.5) == .inconclusive)
    #expect(interval.verdict(border: 1.5) == .inconclusive)
    #expect(interval.verdict(border: 1.6) == .pass)
  }
}
