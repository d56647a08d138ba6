import LarderEngine
import LarderSupport
import LarderTraces
import Testing

@testable import LarderExperiments

/// Counts of generated conversations, which may change only with the generator, a policy or the
/// counting rules.
struct PrefixGoldenTests {
  /// Policy, capacity, order, block hits, prefix hits, tokens.
  private static let cells: [(String, UInt64, PromptOrder, [UInt64])] = [
    ("lru", 500, .front, [1_874, 1_874, 959_488]),
    ("lru", 500, .tail, [1_878, 1_878, 961_536]),
    ("lru", 4_000, .front, [5_086, 5_086, 2_604_032]),
    ("lru", 4_000, .tail, [5_088, 5_088, 2_605_056]),
    ("sieve", 500, .front, [1_923, 1_923, 984_576]),
    ("sieve", 500, .tail, [1_923, 1_923, 984_576]),
    ("sieve", 4_000, .front, [4_886, 4_886, 2_501_632]),
    ("sieve", 4_000, .tail, [4_886, 4_886, 2_501_632]),
    ("belady", 500, .front, [6_120, 6_120, 3_133_440]),
    ("belady", 500, .tail, [6_120, 5_901, 3_021_312]),
    ("belady", 4_000, .front, [8_819, 8_819, 4_515_328]),
    ("belady", 4_000, .tail, [8_819, 8_819, 4_515_328]),
  ]

  private static func trace() throws -> PreparedTrace {
    let source = SourceSpec.generator(
      GeneratorSpec(component: try ComponentSpec(parsing: "llm-prefix"), requests: 40_000))
    return try PreparedTrace.prepare(
      source: source.makeSource(seed: 7) { _ in throw TraceError("none", in: "none") },
      name: "llm-prefix"
    ).withNextUses()
  }

  @Test func countsAreUnchanged() throws {
    let trace = try Self.trace()
    for (policy, capacity, order, expected) in Self.cells {
      let record = try #require(
        try PromptList.record(trace, policy: policy, capacity: capacity, order: order))
      let prefix = try #require(record.prefix)
      let found = [record.counts.hits, prefix.hits, prefix.tokens]
      #expect(found == expected, "(\"\(policy)\", \(capacity), .\(order), \(found)),")
    }
  }
}
