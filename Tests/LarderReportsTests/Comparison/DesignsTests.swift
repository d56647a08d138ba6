import LarderEngine
import LarderExperiments
import Testing

@testable import LarderReports

/// Comparison of configurations, as opposed to policies within one.
struct DesignsTests {
  private func record(
    _ configuration: String, _ policy: String = "lru", capacity: UInt64 = 10, hits: UInt64
  ) -> Record {
    SampleResults.record(
      SampleResults.cell(policy, capacity: capacity, configuration: configuration), hits: hits)
  }

  private func designs(_ records: [Record], _ facts: [CacheFacts]? = nil) -> [Designs] {
    var results = SampleResults.empty()
    results.records = records
    results.caches = facts
    return Designs.all(in: results, Comparison.all(in: records))
  }

  private static let facts = [
    CacheFacts(configuration: "b", cache: "larder", preset: "b", summary: "", limits: "5 objects")
  ]

  @Test func singlePolicyConfigurationsAreCompared() throws {
    let designs = try #require(designs([record("a", hits: 10), record("b", hits: 20)]).first)
    #expect(designs.single == ["a", "b"])
    #expect(designs.table.titles == ["design", "policy", "capacity", "hit ratio, %"])
    #expect(
      designs.table.rows == [
        ["a", .code("lru"), "10", "0.20"], ["b", .code("lru"), "10", .strong("0.40")],
      ])
    #expect(
      designs.sentence.plain == "b has the highest hit ratio (0.40 %).")
  }

  @Test func configurationsWithManyPoliciesAreExcluded() {
    let one = [record("a", hits: 1), record("a", "fifo", hits: 2)]
    #expect(designs(one).isEmpty)
    #expect(designs(one + [record("b", hits: 3)]).isEmpty)
    #expect(designs([record("a", hits: 1)]).isEmpty)
  }

  @Test func presetsAreListedWithOthersUnlessMany() throws {
    let few = [record("a", hits: 1), record("a", "fifo", hits: 2), record("b", hits: 2)]
    let shown = try #require(designs(few, Self.facts).first)
    #expect(shown.designs.map(\.cell.policy) == ["lru", "fifo", "lru"])
    #expect(shown.single == ["b"])
    #expect(shown.designs.map(\.capacity) == ["10", "10", "5 objects"])
    // A value that two of three share is not marked.
    #expect(shown.sentence == "No design is best in any column.")
    let more = try #require(designs(few + [record("a", "s3", hits: 1)], Self.facts).first)
    #expect(
      more.sentence.plain
        == "a: fifo and b have the highest hit ratio (0.04 %).")
    let many = (1...30).map { record("a", "p\($0)", hits: $0) } + [record("b", hits: 2)]
    #expect(designs(many, Self.facts).isEmpty)
  }

  @Test func distinguishingCapacitiesAreShown() throws {
    let records = [
      record("a", hits: 1), record("a", capacity: 20, hits: 9), record("b", hits: 2),
    ]
    let designs = try #require(designs(records).first)
    #expect(
      designs.sentence.plain == "a at 20 has the highest hit ratio (0.18 %).")
  }

  @Test func equalDesignsHaveNoLeader() throws {
    let designs = try #require(designs([record("a", hits: 5), record("b", hits: 5)]).first)
    #expect(designs.sentence == "No design is best in any column.")
  }
}
