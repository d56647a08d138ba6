import Testing

@testable import LarderReports

struct ChartTicksTests {
  private func labels(
    _ low: Double, _ high: Double, _ unit: ChartUnit, log: Bool = false, count: Int = 6
  ) -> [String] {
    ChartScale(
      ChartAxis(title: "", unit: unit, isLogarithmic: log), values: [low, high], from: 0, to: 100,
      count: count
    ).ticks.map(\.label)
  }

  @Test func linear() {
    #expect(labels(0, 0.5, .percent) == ["0 %", "10 %", "20 %", "30 %", "40 %", "50 %"])
    #expect(
      labels(0.91, 0.952, .percent) == ["91 %", "92 %", "93 %", "94 %", "95 %", "96 %"])
    #expect(labels(0.3, 0.3, .percent) == ["30 %", "31 %"])
    #expect(labels(-0.02, 0.1, .points).first == "-2")
  }

  @Test func objectsAndBytes() {
    #expect(
      labels(1000, 1e6, .objects, log: true) == ["1k", "3k", "10k", "30k", "100k", "300k", "1M"])
    #expect(
      labels(1_048_576, 67_108_864, .bytes, log: true)
        == ["1 MiB", "2 MiB", "4 MiB", "8 MiB", "16 MiB", "32 MiB", "64 MiB"])
    #expect(
      labels(1024, 1_073_741_824, .bytes, log: true, count: 4)
        == ["4 KiB", "64 KiB", "1 MiB", "16 MiB", "256 MiB"])
    #expect(labels(100, 5e6, .nanoseconds, log: true).contains("10 µs"))
  }

  @Test func placesGrowWithValues() {
    let scale = ChartScale(
      ChartAxis(title: "", unit: .objects, isLogarithmic: true), values: [10, 1000], from: 20,
      to: 120)
    #expect(scale.place(10) == 20)
    #expect(abs(scale.place(100) - 70) < 1e-9)
    #expect(scale.place(1000) == 120)
    #expect(scale.place(1e9) == 120)
  }

  @Test(arguments: [
    (0.0, "0"), (0.25, "0.25"), (2.5, "2.5"), (1000, "1000"), (1e-4, "0.0001"), (-0.5, "-0.5"),
  ])
  func short(_ value: Double, _ text: String) { #expect(ChartText.short(value) == text) }

  @Test func linesBreakBetweenWords() {
    let lines = ChartText.lines("one two three four five six", width: 60, size: 12)
    #expect(lines.count > 1)
    #expect(lines.joined(separator: " ") == "one two three four five six")
    #expect(ChartText.fitted("a very long name", width: 40, size: 12).hasSuffix("…"))
    #expect(ChartText.fitted("short", width: 400, size: 12) == "short")
  }
}
