import LarderEngine
import LarderSystem
import LarderTraces
import Testing

@testable import LarderSimulation
@testable import LarderWorkloads

/// Counts of our own generated conversations, which nothing but a change of the generator, of a
/// policy or of what is counted may alter.
struct PrefixGoldenTests {
  /// Policy, capacity, order, block hits, prefix hits, tokens.
  private static let cells: [(String, UInt64, PromptOrder, [UInt64])] = [
    ("lru", 500, .front, [1874, 1874, 959488]),
    ("lru", 500, .tail, [1874, 1874, 959488]),
    ("lru", 4000, .front, [5086, 5086, 2604032]),
    ("lru", 4000, .tail, [5086, 5086, 2604032]),
    ("sieve", 500, .front, [1923, 1923, 984576]),
    ("sieve", 500, .tail, [1923, 1923, 984576]),
    ("sieve", 4000, .front, [4886, 4886, 2501632]),
    ("sieve", 4000, .tail, [4886, 4886, 2501632]),
    ("belady", 500, .front, [6120, 6120, 3133440]),
    ("belady", 500, .tail, [6120, 5901, 3021312]),
    ("belady", 4000, .front, [8819, 8819, 4515328]),
    ("belady", 4000, .tail, [8819, 8819, 4515328]),
  ]

  private static func trace() throws -> PreparedTrace {
    let source = SourceSpec.generator(
      GeneratorSpec(component: try ComponentSpec(parsing: "llm-prefix"), requests: 40_000))
    return try PreparedTrace.prepare(
      source: source.makeSource(seed: 7) { _ in throw TraceError("none", in: "none") },
      name: "llm-prefix"
    ).withNextUses()
  }

  @Test func countsAreTheSame() throws {
    let trace = try Self.trace()
    for policy in ["lru", "sieve", "belady"] {
      for capacity in [500, 4000] as [UInt64] {
        for order in PromptOrder.allCases {
          let record = try #require(
            try PromptList.record(trace, policy: policy, capacity: capacity, order: order))
          let prefix = try #require(record.prefix)
          let found = [record.counts.hits, prefix.hits, prefix.tokens]
          let expected = Self.cells.first {
            $0.0 == policy && $0.1 == capacity && $0.2 == order
          }
          #expect(
            found == expected?.3,
            "(\"\(policy)\", \(capacity), .\(order), \(found)),")
        }
      }
    }
    #expect(Self.cells.count == 12)
  }
}
