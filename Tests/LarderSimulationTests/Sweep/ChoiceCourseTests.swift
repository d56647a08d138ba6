import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// The course of a policy that chooses among others.
struct ChoiceCourseTests {
  /// Objects that are requested twice, and then a loop over more than the cache holds.
  private static let trace: Result<PreparedTrace, any Error> = Result {
    let pairs = (0..<2_000).flatMap { [UInt64($0), UInt64($0)] }
    let loop = (0..<8_000).map { UInt64(10_000 + $0 % 120) }
    return try FlashStand.trace((pairs + loop).map { (key: $0, size: 1) })
  }

  private func record(_ policy: String, warmUp: WarmUp) throws -> Record {
    let spec = try PolicySpec(parsing: policy)
    let planned = PlannedCell(
      cell: Cell(
        workload: "w", trace: "t", configuration: "memory", kind: .memory, policy: policy,
        capacity: 100, capacityLabel: "100", unit: .objects, seed: 1),
      setup: SimulationSetup(
        arrangement: .memory(TierSetup(policy: spec, capacity: 100)), unit: .objects, seed: 1))
    return try #require(try FlashStand.record(planned, Self.trace.get(), warmUp: warmUp))
  }

  @Test(arguments: [WarmUp.none, .requests(333), .untilFull])
  func partsAddUpToTheCounts(warmUp: WarmUp) throws {
    let record = try record("auto", warmUp: warmUp)
    let course = try #require(record.course)
    #expect(course.parts.count == 100)
    #expect(course.parts.reduce(0) { $0 + $1.requests } == record.counts.requests)
    #expect(course.parts.reduce(0) { $0 + $1.hits } == record.counts.hits)
    // Every object is requested twice in a row: one hit for each miss, but at an end of a part.
    let early = course.parts[5]
    #expect(abs(Int(early.hits) * 2 - Int(early.requests)) <= 1)
    #expect(Set(course.parts.map(\.leading)).isSubset(of: Set(course.policies.indices)))
  }

  @Test func otherPoliciesHaveNoCourse() throws {
    #expect(try record("lru", warmUp: .none).course == nil)
  }
}
