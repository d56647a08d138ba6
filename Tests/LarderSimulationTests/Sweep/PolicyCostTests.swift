import Foundation
import LarderEngine
import LarderPolicies
import LarderSupport
import Testing

@testable import LarderExperiments

/// The table of costs agrees with the measurements.
struct PolicyCostTests {
  private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The lines of the table, from the kept runs: of each policy the mean over cells of the median
  /// of their repetitions, the first of several left out.
  private static func lines() throws -> [String] {
    let runs = repository.appending(path: "Results/examples/policies")
    var times: [String: [Double]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: runs.path).sorted() {
      let data = try Data(contentsOf: runs.appending(path: "\(name)/results.json"))
      for record in try JSONFile.decode(RunResults.self, from: data).records {
        let (policy, timings) = (record.cell.policy, record.timings)
        let warm = timings.dropFirst(timings.count > 1 ? 1 : 0)
          .map { $0.seconds * 1e9 / Double($0.requests) }.sorted()
        try #require(!warm.isEmpty)
        let median = (warm[(warm.count - 1) / 2] + warm[warm.count / 2]) / 2
        times[policy, default: []].append(median)
      }
    }
    let policies = (PolicyRegistry.standard + PolicyRegistry.bounds).map(\.description.name)
    return try policies.compactMap { policy in
      guard let own = times[policy] else { return nil }
      let mean = own.reduce(0, +) / Double(own.count)
      let nanoseconds = try #require(NumberText.fixed(mean, decimals: 1))
      return "    \"\(policy)\": \(nanoseconds),\n"
    }
  }

  /// With `LARDER_WRITE_DOCS` the table is written instead of compared.
  @Test func tableMatchesTheKeptRuns() throws {
    let file = Self.repository.appending(path: "Sources/LarderExperiments/Parts/PolicyCost.swift")
    let text = try String(contentsOf: file, encoding: .utf8)
    let head = "static let table: [String: Double] = [\n"
    let start = try #require(text.range(of: head)).upperBound
    let end = try #require(text.range(of: "  ]\n", range: start..<text.endIndex)).lowerBound
    let table = try Self.lines().joined()
    if ProcessInfo.processInfo.environment["LARDER_WRITE_DOCS"] != nil {
      try text.replacingCharacters(in: start..<end, with: table)
        .write(to: file, atomically: true, encoding: .utf8)
      return
    }
    #expect(text[start..<end] == table, "out of date; run 'make figures PART=policies'")
  }

  @Test func unknownPoliciesCountAsSlow() {
    #expect(PolicyCost.of("of somebody else") > 50)
  }
}
