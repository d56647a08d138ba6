import Foundation
import LarderEngine
import LarderExperiments
import Testing

@testable import LarderReports

/// `docs/results.schema.json` describes exactly the contents of `results.json`.
struct SchemaTests {
  private let schema: SchemaFile

  init() throws { schema = try SchemaFile(named: "results.schema.json") }

  @Test func schemaMatchesFullResults() throws {
    var results = SampleResults.full
    // As in merged results.
    let timed = try #require(results.records.firstIndex { !$0.timings.isEmpty })
    results.records[timed].timings[0].machine = "another"
    // As for a disk with segments; both tiers have one schema.
    let executed = try #require(results.records.firstIndex { $0.executions?.isEmpty == false })
    for tier in [\Counts.memory, \Counts.disk] {
      results.records[executed].counts[keyPath: tier].bytesMoved = 12
      results.records[executed].executions?[0].counts[keyPath: tier].bytesMoved = 12
    }
    results.records[0].hitRatios = "400 410"
    results.decisions = [SampleAdvice.decision()]
    var miss = RequirementResult(cell: "memory/lru/1%", figure: "hit_ratio", required: ">= 60 %")
    (miss.value, miss.missedBy) = ("41.00 %", "19.00 points")
    results.requirements = [miss]
    results.history = [
      HistoryEntry(
        workload: "w", started: "2026-11-29T08:00:00Z", larder: "1.0", records: results.records,
        requirements: [miss])
    ]
    results.records[executed].executions?[0].server = ServerState(
      version: "Redis 7", entries: 1, bytes: 2, hits: 3, evictions: 4, capacity: 5)
    let text = try ResultsJSON().text(of: results)
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    var seen: Set<String> = []
    schema.check(value, at: "results", &seen)
    // The sample has every optional key, so the schema has no unused ones, except for a generator's
    // seed, the rate of a sample, and the machines of merged results.
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
