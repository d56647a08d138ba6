import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// Costs of replaying designs.
@Suite struct ReplayCostTests {
  private func cost(
    _ policy: String, _ admission: String? = nil, weighs: Bool = false
  ) throws -> Double {
    let candidate = Candidate(
      policy: try PolicySpec(parsing: policy),
      admission: try admission.map { try PolicySpec(parsing: $0) })
    return ReplayCost.of(candidate, weighs: weighs)
  }

  @Test func everyFilterHasACost() throws {
    let alone = try cost("lru")
    for filter in AdmissionRegistry.all {
      let name = filter.description.name
      #expect(ReplayCost.filters[name] != nil, "\(name)")
      #expect(try cost("lru", name) > alone)
    }
    #expect(Set(ReplayCost.filters.keys) == Set(AdmissionRegistry.all.map(\.description.name)))
  }

  @Test func slowDesignsCostMore() throws {
    #expect(try cost("hyperbolic") > cost("lru") * 3)
    #expect(try cost("lru", weighs: true) > cost("lru"))
    #expect(try cost("somebody-elses") > cost("lru"))
    #expect(ReplayCost.mean([], weighs: true) == 1)
  }

  /// A budget takes about equal time for every trace, by the definition of the unit.
  @Test func searchWithOneSizeIsTheUnit() throws {
    let trace = try AdviceStand.generated("zipf:objects=500", requests: 2000)
    let space = try SearchSpace(for: trace.requests, unit: .objects)
    #expect((0.8...1.25).contains(ReplayCost.mean(space.candidates, weighs: false)))
  }
}
