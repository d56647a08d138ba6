import Foundation
import LarderEngine
import LarderPolicies
import LarderSupport
import LarderTraces
import TestSupport
import Testing

@testable import LarderExperiments

/// Location of the table: next to the folder with the traces.
private enum PrefixTable {
  static let folder = ProcessInfo.processInfo.environment["LARDER_TRACES"]
  static var path: String { "\(folder ?? "")/../reference/prefix.csv" }
  static var isThere: Bool { folder != nil && FileManager.default.fileExists(atPath: path) }
}

/// Prefixes against `prefix.csv`, on a public trace, to the block. Its rows of order `tail` are
/// those of a cache that is looked up block by block, without knowledge of prompts.
@Suite(
  .enabled(
    if: PrefixTable.isThere, "needs LARDER_TRACES, and reference/prefix.csv beside it"))
struct PrefixReferenceTests {
  /// Hits of LRU in order `tail` by capacity, of a model in Python that looks a prompt up, stores
  /// the blocks that it lacks, and frees all of them last block first, as `vllm` does.
  private static let lookedUpFirst: [UInt64: UInt64] = [
    1000: 12_847, 2000: 15_665, 5000: 32_260, 10_000: 61_046, 20_000: 83_035, 30_000: 93_978,
    50_000: 102_290,
  ]

  /// Counts of ordinary requests, each of which is looked up after those before it were stored.
  private static func stepped(
    _ trace: PreparedTrace, _ policy: String, _ capacity: UInt64
  ) throws -> (hits: UInt64, prefix: PrefixCounts) {
    let tier = TierSetup(policy: try PolicySpec(parsing: policy), capacity: capacity)
    let setup = SimulationSetup(arrangement: .memory(tier), unit: .objects, seed: 1)
    let simulation = try PolicyRegistry.makeSimulation(setup, over: trace.requests)
    var counts = PrefixCounts()
    while simulation.position < trace.requests.count {
      let tokens = UInt64(trace.prompts?[simulation.position] ?? 1) - 1
      let end = trace.promptEnd(from: simulation.position)
      var front: UInt64 = 0
      while simulation.position < end {
        let before = simulation.counts.hits
        simulation.run(upTo: simulation.position + 1, untilFirstEviction: false)
        front = simulation.counts.hits > before ? front + 1 : 0
      }
      counts.prompts += 1
      counts.hits += front
      counts.tokens += min(512 * front, tokens)
      counts.inputTokens += tokens
    }
    return (simulation.counts.hits, counts)
  }

  @Test func everyRowIsEqual() throws {
    let rows = try String(contentsOfFile: PrefixTable.path, encoding: .utf8)
      .split(whereSeparator: \.isNewline).dropFirst().map { $0.split(separator: ",") }
    #expect(rows.count == 98)
    var traces: [Substring: PreparedTrace] = [:]
    for row in TestEffort.cases(rows, atLeast: 24) {
      let loaded =
        try traces[row[1]]
        ?? PreparedTrace.load(
          path: "\(PrefixTable.folder ?? "")/\(row[1])", format: ComponentSpec(parsing: "hash-ids"))
      let trace = try loaded.withNextUses()
      traces[row[1]] = trace
      let order = try #require(PromptOrder(rawValue: String(row[4])))
      let capacity = try #require(UInt64(row[3]))
      let record = try #require(
        try PromptList.record(trace, policy: String(row[2]), capacity: capacity, order: order))
      var prefix = try #require(record.prefix)
      var hits = record.counts.hits
      if order == .tail {
        let stepped = try Self.stepped(trace.tailFirst(), String(row[2]), capacity)
        #expect(hits >= stepped.hits && prefix.hits >= stepped.prefix.hits)
        #expect(prefix.inputTokens == stepped.prefix.inputTokens)
        if row[2] == "lru" { #expect(hits == Self.lookedUpFirst[capacity], "\(capacity)") }
        (hits, prefix) = stepped
      }
      let found = [
        prefix.prompts, record.counts.requests, record.objectsDistinct, hits, prefix.hits,
        prefix.tokens, prefix.inputTokens,
      ]
      #expect(found == row[5...11].compactMap { UInt64($0) }, "\(row.joined(separator: ","))")
    }
  }
}
