import Foundation
import Larder
import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments
@testable import LarderHarness

@Suite struct PresetConfigurationTests {
  private static let facts = TraceFacts(
    name: "zipf", seed: 1, requests: 100, objects: 1000, footprintBytes: 1 << 30)

  private func workload(_ preset: String, _ rest: String = "") throws -> Workload {
    try WorkloadDecoder().decode(
      Data(
        """
        source: {generator: zipf, requests: 100, sizes: 1KiB}
        configurations: {preset: \(preset)}
        mode: [simulate, execute]
        \(rest)
        """.utf8), file: "w.yaml")
  }

  @Test(arguments: CachePreset.all.map(\.name))
  func everyPresetIsPlanned(_ name: String) throws {
    let preset = try #require(CachePreset.named(name))
    let planned = try Plan.cells(of: try workload(name), facts: [Self.facts])
    #expect(planned.count == 1)
    let cell = try #require(planned.first)
    #expect(cell.setup.arrangement == (try preset.arrangement()))
    #expect(cell.setup.unit == .bytes)
    #expect(cell.preset == name && cell.contender == ConfigurationSpec.defaultCache)
    #expect(cell.isSimulated && cell.isExecuted)
    #expect(cell.cell.configuration == name)
    let facts = try #require(CacheFacts.all(of: planned)?.first)
    #expect(facts.preset == name)
    #expect(facts.summary.contains("Models: ") && facts.summary.contains("Differences: "))
    #expect(facts.limits?.isEmpty == false)
  }

  @Test func limitsAreDescribed() throws {
    func limits(_ name: String) throws -> String? {
      let planned = try Plan.cells(of: try workload(name), facts: [Self.facts])
      return CacheFacts.all(of: planned)?.first?.limits
    }
    #expect(try limits("shop-images") == "50MB and 200 objects before 1000 objects")
    #expect(try limits("news-app") == "100 objects before no limit")
    #expect(try limits("nscache") == "10MiB and 100 objects")
  }

  @Test func aPresetNeedsSizes() throws {
    let workload = try workload("yycache", "unit: objects")
    do {
      _ = try Plan.cells(of: workload, facts: [Self.facts])
      Issue.record("objects have no bytes")
    } catch {
      let message = workload.message(for: error)
      #expect(message.hasPrefix("w.yaml:2: configuration 'yycache' on 'zipf'"), "\(message)")
      #expect(message.contains("this is a size in bytes"))
    }
  }

  @Test func plainConfigurationsNeedNoFacts() throws {
    let workload = Workload(
      name: "w", source: .trace(TraceReference(path: "a")),
      policies: [try PolicySpec(parsing: "lru")],
      capacities: [try CapacitySpec(parsing: "10%")])
    let planned = try Plan.cells(of: workload, facts: [Self.facts])
    #expect(CacheFacts.all(of: planned) == nil)
  }
}
