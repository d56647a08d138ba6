import Foundation
import LarderEngine
import Testing

/// The functions against the system's, which are accurate to about one unit in the last place.
struct DeterministicMathTests {
  private func relativeError(_ found: Double, _ expected: Double) -> Double {
    found == expected ? 0 : abs(found - expected) / abs(expected)
  }

  @Test func logarithmAgreesWithTheSystem() {
    var random = SeededGenerator(seed: 1)
    var worst = 0.0
    for _ in 0..<200_000 {
      // Any positive finite number, including subnormal ones.
      let x = Double(bitPattern: random.next(below: 0x7ff0 << 48))
      worst = max(worst, relativeError(DeterministicMath.log(x), Foundation.log(x)))
      let nearOne = 0.5 + random.nextUnit()
      worst = max(worst, relativeError(DeterministicMath.log(nearOne), Foundation.log(nearOne)))
    }
    #expect(worst < 1e-15)
  }

  @Test func exponentialAgreesWithTheSystem() {
    var random = SeededGenerator(seed: 2)
    var worst = 0.0
    for _ in 0..<200_000 {
      let x = random.nextUnit() * 1417 - 708
      worst = max(worst, relativeError(DeterministicMath.exp(x), Foundation.exp(x)))
      let small = random.nextUnit() - 0.5
      worst = max(worst, relativeError(DeterministicMath.exp(small), Foundation.exp(small)))
    }
    #expect(worst < 1e-15)
    // Subnormal results have fewer digits: compare the remaining ones.
    for x in stride(from: -745.0, to: -708, by: 0.37) {
      #expect(abs(DeterministicMath.exp(x) - Foundation.exp(x)) <= .leastNonzeroMagnitude)
    }
  }

  @Test func powerAgreesWithTheSystem() {
    var random = SeededGenerator(seed: 3)
    var worst = 0.0
    for _ in 0..<200_000 {
      let base = Foundation.exp(random.nextUnit() * 60 - 30)
      let exponent = random.nextUnit() * 40 - 20
      let expected = Foundation.pow(base, exponent)
      worst = max(worst, relativeError(DeterministicMath.pow(base, exponent), expected))
    }
    #expect(worst < 1e-15)
  }

  @Test func knownPowersAreExact() {
    #expect(DeterministicMath.pow(2, 10) == 1024)
    #expect(DeterministicMath.pow(10, 6) == 1e6)
    #expect(DeterministicMath.pow(4, -1) == 0.25)
    #expect(DeterministicMath.pow(1e6, 0.5) == 1000)
  }

  @Test func edgeCasesFollowConventions() {
    #expect(DeterministicMath.log(0) == -.infinity)
    #expect(DeterministicMath.log(1) == 0)
    #expect(DeterministicMath.log(.infinity) == .infinity)
    #expect(DeterministicMath.log(-1).isNaN && DeterministicMath.log(.nan).isNaN)
    #expect(DeterministicMath.exp(0) == 1)
    #expect(DeterministicMath.exp(.infinity) == .infinity)
    #expect(DeterministicMath.exp(710) == .infinity)
    #expect(DeterministicMath.exp(-.infinity) == 0 && DeterministicMath.exp(-746) == 0)
    #expect(DeterministicMath.exp(.nan).isNaN)
    #expect(DeterministicMath.exp(709.78).isFinite)
    #expect(DeterministicMath.pow(0, 2) == 0 && DeterministicMath.pow(0, -2) == .infinity)
    #expect(DeterministicMath.pow(.infinity, 2) == .infinity)
    #expect(DeterministicMath.pow(.infinity, -2) == 0)
    #expect(DeterministicMath.pow(0, 0) == 1 && DeterministicMath.pow(5, 0) == 1)
    #expect(DeterministicMath.pow(1, .infinity) == 1)
    #expect(DeterministicMath.pow(2, .infinity) == .infinity)
    #expect(DeterministicMath.pow(2, -.infinity) == 0)
    #expect(DeterministicMath.pow(2, 5000) == .infinity && DeterministicMath.pow(2, -5000) == 0)
    #expect(DeterministicMath.pow(-1, 2).isNaN && DeterministicMath.pow(2, .nan).isNaN)
  }

  @Test func normalQuantileInvertsTheDistribution() {
    // Through the system's erfc: P(Z < z) = erfc(-z / sqrt 2) / 2.
    for p in [1e-300, 1e-100, 1e-20, 1e-12, 1e-6, 0.001, 0.02, 0.0749, 0.0751, 0.2, 0.4999, 0.5] {
      let z = DeterministicMath.normalQuantile(p)
      // The inverse is steep in the tail: an error of one unit in z appears z squared times as
      // large.
      let tolerance = 1e-15 * (8 + 2 * z * z)
      #expect(relativeError(Foundation.erfc(-z / 2.0.squareRoot()) / 2, p) < tolerance)
    }
    #expect(abs(DeterministicMath.normalQuantile(0.975) - 1.959963984540054) < 1e-14)
    #expect(DeterministicMath.normalQuantile(0.25) == -DeterministicMath.normalQuantile(0.75))
    #expect(DeterministicMath.normalQuantile(0.5) == 0)
    #expect(DeterministicMath.normalQuantile(0) == -.infinity)
    #expect(DeterministicMath.normalQuantile(1) == .infinity)
    #expect(DeterministicMath.normalQuantile(1.5).isNaN)
  }

  @Test func bitsAreFixed() {
    var random = SeededGenerator(seed: 4)
    var digest: UInt64 = 0
    for _ in 0..<10_000 {
      let u = random.nextUnit() + 0x1p-60
      let values = [
        DeterministicMath.log(u), DeterministicMath.exp(10 * u), DeterministicMath.pow(u, 0.7),
        DeterministicMath.normalQuantile(u),
      ]
      for value in values { digest = digest &* 0x9e37_79b9_7f4a_7c15 ^ value.bitPattern }
    }
    #expect(digest == 11_398_097_123_051_039_225)
  }
}
