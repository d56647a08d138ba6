import Foundation
import LarderEngine
import LarderExperiments
import Testing

@testable import LarderReports

/// `docs/results.schema.json` describes what `results.json` holds: not less, not more.
struct SchemaTests {
  private let schema: SchemaFile

  init() throws { schema = try SchemaFile(named: "results.schema.json") }

  @Test func schemaMatchesFullResults() throws {
    var results = SampleResults.full
    // As in results that were merged.
    let timed = try #require(results.records.firstIndex { !$0.timings.isEmpty })
    results.records[timed].timings[0].machine = "another"
    // As of a disk with segments; one schema is that of both tiers.
    let executed = try #require(results.records.firstIndex { $0.executions?.isEmpty == false })
    for tier in [\Counts.memory, \Counts.disk] {
      results.records[executed].counts[keyPath: tier].bytesMoved = 12
      results.records[executed].executions?[0].counts[keyPath: tier].bytesMoved = 12
    }
    let text = try ResultsJSON().text(of: results)
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    var seen: Set<String> = []
    schema.check(value, at: "results", &seen)
    // The sample has every optional key somewhere, so that the schema names nothing that is not.
    // But for a generator's seed, the rate of a sample, and the machines of merged results.
    let absent = schema.keys(at: "results").subtracting(seen)
      .subtracting([
        "results.traces.seed", "results.traces.samplingRate",
        "results.traces.storableObjects", "results.records.timings.machine",
      ])
    #expect(absent == [])
  }

  @Test func theVersionIsTheCurrentOne() throws {
    #expect(schema.constant("schemaVersion") == RunResults.currentSchemaVersion)
  }
}
