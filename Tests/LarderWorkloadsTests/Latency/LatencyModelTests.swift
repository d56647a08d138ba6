import Testing

@testable import LarderExperiments

@Suite struct LatencyModelTests {
  @Test func modelIsDescribedInWords() throws {
    let samples = try #require(LatencySamples([2e6, 5e5]))
    let model = LatencyModel(
      memory: AccessLatency(base: .constant(250), nanosecondsPerByte: 0.05),
      disk: AccessLatency(base: .empirical(samples)),
      origin: AccessLatency(base: .logNormal(median: 8e7, sigma: 0.5), nanosecondsPerByte: 800))
    #expect(
      model.describe() == """
        Access times are computed from a model, not measured: memory always 250 ns plus 0.05 ns \
        per byte; disk one of 2 measured values from 500 us to 2 ms; origin log-normal, median 80 \
        ms, sigma 0.5 plus 800 ns per byte. A request is charged for every lookup, \
        in order, and for the transfer from the tier that has the object; storing is not charged.
        """)
    #expect(!model.describe(for: [.memory]).contains("disk"))
    #expect(!model.describe(for: [.disk]).contains("memory"))
    #expect(model.describe(for: [.memory, .disk]).contains("; disk"))
  }

  @Test func timesAreWrittenInSuitableUnits() {
    #expect(AccessLatency.time(0) == "0 ns")
    #expect(AccessLatency.time(999) == "999 ns")
    #expect(AccessLatency.time(1500) == "1.5 us")
    #expect(AccessLatency.time(2.5e9) == "2.5 s")
    #expect(AccessLatency.number(0.0001) == "0.0001")
    #expect(
      LatencyDistribution.normal(mean: 1000, deviation: 10).words
        == "normal, mean 1 us, standard deviation 10 ns, never negative")
  }
}
