import Foundation
import LarderExperiments
import Testing

@testable import LarderReports

struct TuningTextTests {
  private static func trial(_ policy: String, _ ratio: Double, isExact: Bool = true)
    -> Tuning.Trial
  {
    Tuning.Trial(
      policy: policy, hits: isExact ? UInt64(ratio * 10_000) : nil, hitRatio: ratio,
      standardError: isExact ? nil : 0.01)
  }

  private static func tuning(rate: Double) -> Tuning {
    let rest = trial("s4-fifo:small=0.5", 0.1, isExact: rate == 1)
    return Tuning(
      trace: "a\u{1B}b", policy: "s4-fifo", unit: .bytes, configurations: 2,
      points: [
        Tuning.Point(
          capacity: 128 << 20, requests: 10_000, sampleRate: rate,
          defaults: trial("s4-fifo", 0.25), trials: [trial("s4-fifo:small=0.2", 0.5), rest]),
        Tuning.Point(
          capacity: 1 << 30, requests: 10_000, sampleRate: rate,
          defaults: trial("s4-fifo", 0.75), trials: [trial("s4-fifo:small=0.2", 0.5), rest]),
      ], notes: [])
  }

  @Test func textHasALineForEachCapacity() {
    let lines = TuningText.text(of: Self.tuning(rate: 1)).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(!lines[0].contains("\u{1B}") && lines[0].hasSuffix("s4-fifo, 2 configurations"))
    #expect(lines[3].contains("s4-fifo:small=0.2   5"))
    #expect(lines[3].hasSuffix("50.00 %   25.00 %  +25.00"))
    #expect(lines[4].hasSuffix("-25.00"))
    #expect(lines[6] == "All were simulated in full.")
    #expect(lines[7].hasPrefix("No configuration is better than the defaults at 1"))
  }

  @Test func samplesAreNamed() {
    let text = TuningText.text(of: Self.tuning(rate: 0.01))
    #expect(text.contains("Tried on a sample of 1.00 % of the objects or more; the best 1 and"))
  }

  @Test func jsonComesBack() throws {
    let tuning = Self.tuning(rate: 0.01)
    let text = try TuningJSON.text(of: [tuning])
    #expect(text.hasSuffix("]\n") && text.contains("\"hit_ratio\" : 0.5"))
    #expect(try JSONDecoder().decode([Tuning].self, from: Data(text.utf8)) == [tuning])
  }
}
