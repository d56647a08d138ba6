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

  @Test(arguments: [
    ("check: 5", "w.yaml:4: check: expected a map"),
    ("check: {tolerances: {}}", "did you mean 'tolerance'?"),
    ("check: {tolerance: {hit-ratio: 0.1}}", "did you mean 'hit_ratio'?"),
    ("check: {tolerance: {hit_ratio: 2}}", "expected a difference from 0% to 100%"),
    ("check: {tolerance: {hit_ratio: -0.1}}", "expected a difference from 0% to 100%"),
    ("check: {tolerance: {hit_ratio: much}}", "found 'much'"),
    ("check: {tolerance: {requests: 1%}}", "unknown key 'requests'"),
    ("check: {timed: {policies: [sieve]}}", "so it cannot be timed"),
  ])
  func errorsAreOneLine(_ yaml: String, _ says: String) {
    #expect {
      try decode(yaml)
    } throws: { error in "\(error)".contains(says) && !"\(error)".contains("\n") }
  }
}
