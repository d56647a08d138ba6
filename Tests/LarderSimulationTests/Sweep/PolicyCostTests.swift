import Foundation
import Testing

@testable import LarderExperiments

/// The table of costs agrees with the measurements.
struct PolicyCostTests {
  private static var runs: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Results/examples/policies")
  }

  @Test func tableMatchesTheKeptRuns() throws {
    var times: [String: [Double]] = [:]
    var bytes: [String: Double] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.runs.path) {
      let data = try Data(contentsOf: Self.runs.appending(path: "\(name)/results.json"))
      for record in try JSONFile.decode(RunResults.self, from: data).records {
        let policy = record.cell.policy
        for timing in record.timings {
          times[policy, default: []].append(timing.seconds * 1e9 / Double(timing.requests))
          bytes[policy] = max(bytes[policy] ?? 0, timing.memoryBytesPerObject ?? 0)
        }
      }
    }
    #expect(Set(times.keys) == Set(PolicyCost.table.keys))
    for (policy, times) in times {
      let mean = times.reduce(0, +) / Double(times.count)
      let cost = PolicyCost.of(policy)
      #expect(abs(cost.nanoseconds - mean) <= 0.051, "\(policy): \(mean)")
      #expect(cost.bytesPerObject == (bytes[policy] ?? 0).rounded(.up), "\(policy)")
    }
  }

  @Test func unknownPoliciesCountAsSlow() {
    #expect(PolicyCost.of("of somebody else").nanoseconds > 50)
  }
}
