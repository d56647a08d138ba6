import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// Error rate and power of the test in thousands of simulated runs. Everything is seeded, so the
/// numbers are exact.
@Suite struct SequentialRatioTestTests {
  /// The verdicts of runs of 24 blocks with four looks.
  private func verdicts(
    runs: Int, border: Double, errorRate: Double, noise: (inout SeededGenerator) -> Double
  ) -> [TimingVerdict: Int] {
    var random = SeededGenerator(seed: 20)
    var verdicts: [TimingVerdict: Int] = [:]
    for _ in 0..<runs {
      var test = SequentialRatioTest(border: border, errorRate: errorRate)
      for block in 1...24 where test.verdict == .inconclusive {
        test.add(noise(&random))
        if block.isMultiple(of: 6) { test.look(progress: Double(block) / 24) }
      }
      verdicts[test.verdict, default: 0] += 1
    }
    return verdicts
  }

  private static func normal(_ random: inout SeededGenerator) -> Double {
    DeterministicMath.normalQuantile(max(random.nextUnit(), 0x1p-60))
  }

  /// 2 % of noise, and ten times as much in one block of ten, as from a busy neighbour.
  private static func loaded(_ random: inout SeededGenerator) -> Double {
    let isHit = random.next(below: 10) == 0
    return normal(&random) * (isHit ? 0.2 : 0.02)
  }

  /// At the border itself either verdict is wrong; each occurs at most as often as allowed, though
  /// the test looks four times and stops early.
  @Test func errorRateHoldsAtTheBorder() {
    let verdicts = verdicts(runs: 2000, border: 0, errorRate: 0.05, noise: Self.loaded)
    let (fails, passes) = (verdicts[.fail] ?? 0, verdicts[.pass] ?? 0)
    #expect(fails <= 100 && passes <= 100)
    #expect(fails == Self.expected.fails && passes == Self.expected.passes, "\(verdicts)")
  }

  /// Looks at every block with the whole error rate each time, which alpha spending avoids.
  @Test func withoutSpendingTheErrorRateIsExceeded() {
    var random = SeededGenerator(seed: 20)
    var wrong = 0
    for _ in 0..<500 {
      var values: [Double] = []
      var isWrong = false
      for block in 1...24 where !isWrong {
        values.append(Self.loaded(&random))
        guard block.isMultiple(of: 3) else { continue }
        isWrong = SignedRank.interval(values, tail: 0.05)?.verdict(border: 0) == .fail
      }
      wrong += isWrong ? 1 : 0
    }
    #expect(wrong > 50, "\(wrong) of 500")
  }

  /// One build compared with itself at the default threshold: no alarm in two thousand runs.
  @Test func buildAgainstItselfNeverFails() {
    let settings = TimingSettings()
    let verdicts = verdicts(
      runs: 2000, border: settings.border, errorRate: settings.errorRate, noise: Self.loaded)
    #expect(verdicts[.fail] == nil)
    #expect(verdicts[.pass] == Self.expected.passesOfItself, "\(verdicts)")
  }

  /// A slowdown as far above the border as no slowdown is below it, under the same load.
  @Test func aSlowdownIsFound() {
    let settings = TimingSettings()
    let slowdown = 2 * settings.border
    let verdicts = verdicts(
      runs: 1000, border: settings.border, errorRate: settings.errorRate
    ) { random in slowdown + Self.loaded(&random) }
    #expect(verdicts[.pass] == nil)
    #expect(verdicts[.fail] == Self.expected.found, "\(verdicts)")
  }

  /// The effect of code placement alone is never beyond the border, whatever the threshold.
  @Test(arguments: [0.01, 0.03, 0.05, 0.07, 0.08, 0.25])
  func theBorderIsBeyondPlacement(threshold: Double) {
    let settings = TimingSettings(threshold: threshold)
    #expect(settings.borderSlowdown > 0.0349)
    #expect(settings.findsThreshold == (threshold > 0.035))
    if threshold >= 0.08 {
      #expect(abs(settings.border - DeterministicMath.log(1 + threshold) / 2) < 1e-12)
    }
  }

  private static let expected = (fails: 59, passes: 70, passesOfItself: 1878, found: 934)

  /// Early looks use up a part of the error rate; a look at too few values uses none.
  @Test func lookAtTooFewValuesSpendsNothing() {
    var early = SequentialRatioTest(border: 0, errorRate: 0.05)
    var late = early
    for value in 1...12 {
      early.add(Double(value))
      late.add(Double(value))
      if value == 2 { #expect(early.look(progress: 0.5) == .inconclusive) }
    }
    early.look(progress: 1)
    late.look(progress: 1)
    #expect(early.verdict == .fail)
    #expect(early.interval == late.interval)
  }
}
