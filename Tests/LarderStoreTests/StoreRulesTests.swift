import Foundation
import LarderEngine
import LarderPolicies
import LarderTraces
import Testing

@testable import LarderExperiments

/// Changed golden counts require changed rules, so that no store mixes both.
struct StoreRulesTests {
  private static var tests: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  }

  /// The counts of the engine on paper and on generated traces.
  private static func pinned() throws -> String {
    let engine = tests.appending(path: "LarderEngineTests")
    let scripts = try FileManager.default.contentsOfDirectory(
      at: engine.appending(path: "Fixtures/Scripts"), includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "script" }.sorted { $0.path < $1.path }
    #expect(scripts.count >= 30)
    let files = scripts + [engine.appending(path: "Golden/generated.csv")]
    return try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
  }

  /// Records of sweeps: tiers, limits, filters, rules, warm-up and modelled times.
  private static func records() throws -> String {
    let sizes = try ComponentSpec(parsing: "log-normal")
    let source = SourceSpec.generator(
      GeneratorSpec(
        component: try ComponentSpec(parsing: "zipf:objects=300:exponent=0.9"), requests: 4000,
        sizes: sizes, ttls: try ComponentSpec(parsing: "pareto"),
        operations: ["get": 0.8, "set": 0.15, "delete": 0.05]))
    var disk = AccessLatency()
    disk.base = .logNormal(median: 80_000, sigma: 0.4)
    disk.nanosecondsPerByte = 0.5
    var origin = AccessLatency()
    origin.base = .normal(mean: 5_000_000, deviation: 1_000_000)
    let tier = TierSpec(timeToLiveSeconds: 3600, objectsMax: 60)
    let workload = Workload(
      name: "rules", source: source,
      configurations: [
        ConfigurationSpec(name: "m", kind: .memory),
        ConfigurationSpec(name: "d", kind: .disk, disk: tier),
        ConfigurationSpec(
          name: "h", kind: .hybrid, rules: HybridRules(inclusion: .exclusive, promotion: .secondHit)
        ),
        ConfigurationSpec(name: "g", kind: .memory)
          .guarded(by: try PolicySpec(parsing: "tinylfu")),
      ],
      policies: PolicyRegistry.standard.compactMap {
        // A filter that compares is incompatible with a policy that cannot predict its victim.
        $0.description.traits.contains(.namesVictim)
          ? try? PolicySpec(parsing: $0.description.name) : nil
      },
      capacities: try CapacitySpec.list(parsing: "5%,20%"), warmUp: .requests(500),
      latency: LatencyModel(disk: disk, origin: origin))
    let traces = try WorkloadTraces.prepare(workload)
    let cells = try Plan.cells(of: workload, facts: traces.facts)
    let records = try Sweep(
      cells: cells, traces: traces.table, warmUp: workload.warmUp, latency: workload.latency,
      threads: 2
    ).run()
    #expect(records.count == 112)
    return records.map { record in
      "\(record.cell.configuration) \(record.cell.policy) \(record.cell.capacity) "
        + "\(record.counts) \(record.modelled.map { "\($0)" } ?? "")"
    }.joined(separator: "\n")
  }

  @Test func rulesMatchTheGoldenCounts() throws {
    let digest = ContentDigest(of: try Self.pinned() + "\n" + Self.records()).short
    #expect(
      digest == StoreRules.goldenCounts,
      """
      counts have changed: set StoreRules.goldenCounts to "\(digest)", so that no store mixes \
      results from before and after
      """)
  }

  @Test func rulesAreFileNames() throws {
    let rules = try StoreRules.current().description
    #expect(rules.utf8.allSatisfy { $0 == 0x2D || EntryName.isDigit($0) }, "\(rules)")
    #expect(rules.hasPrefix("\(StoreRules.version)-\(StoreRules.goldenCounts)"))
  }
}
