import Foundation
import LarderEngine
import Testing

@testable import LarderExperiments

/// The key `check` of workload files.
@Suite struct WorkloadCheckTests {
  private static let start = """
    source: {generator: zipf, requests: 100}
    policies: [lru, fifo]
    capacities: [1%, 10%]

    """

  private func decode(_ rest: String) throws -> Workload {
    try WorkloadDecoder(checks: Stand.checks).decode(
      Data((Self.start + rest).utf8), file: "w.yaml")
  }

  @Test func tolerancesAndTimedCells() throws {
    #expect(try decode("").check == CheckSpec())
    let check = try decode(
      """
      check:
        tolerance: {hit_ratio: 0.001, evictions: 1%, disk_writes: 0}
        timed: {policies: lru, capacities: [10%]}
      """
    ).check
    #expect(
      check.tolerances == [
        .hitRatio: Share(billionths: 1_000_000), .evictions: Share(percent: 1),
        .diskWrites: Share(billionths: 0),
      ])
    #expect(check.timed.policies?.map(\.description) == ["lru"])
    #expect(check.timed.capacities?.map(\.description) == ["10%"])
    #expect(check.timed.configurations == nil)
  }
}
