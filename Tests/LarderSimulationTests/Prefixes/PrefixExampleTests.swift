import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// Prompts with counts computed by hand.
struct PrefixExampleTests {
  /// Three prompts; the second repeats the first and adds a block, the third all of the second.
  private static let list = PromptList(prompts: [
    .init(blocks: [1, 2, 3], tokens: 1100),
    .init(blocks: [1, 2, 4, 5], tokens: 2000),
    .init(blocks: [1, 2, 4, 5], tokens: 2000),
  ])

  private static func counts(
    _ capacity: UInt64, _ order: PromptOrder, warmUp: WarmUp = .none
  ) throws -> (blocks: UInt64, prefix: PrefixCounts) {
    let record = try #require(
      try PromptList.record(
        list.prepared(), policy: "lru", capacity: capacity, order: order, warmUp: warmUp))
    return (record.counts.hits, try #require(record.prefix))
  }

  /// Everything fits: 2 hits in the second prompt, 4 in the third, whose last block is not full.
  @Test(arguments: PromptOrder.allCases)
  func everythingFits(order: PromptOrder) throws {
    let (blocks, prefix) = try Self.counts(5, order)
    #expect(blocks == 6 && prefix.hits == 6)
    #expect(prefix.tokens == 2 * 512 + 2000 && prefix.inputTokens == 5100 && prefix.prompts == 3)
  }

  /// LRU of 3, front first: 1 2 3, then 1 and 2 hit, 4 and 5 evict 3 and 1. Then 1 misses and
  /// evicts 2, 2 evicts 4, 4 evicts 5, 5 evicts 1.
  @Test func frontFirst() throws {
    let (blocks, prefix) = try Self.counts(3, .front)
    #expect(blocks == 2 && prefix.hits == 2 && prefix.tokens == 1024)
  }

  /// As in `vllm`: the third prompt finds 1 and 2, although 3, which it has to store, comes before
  /// them in the order of eviction.
  @Test func promptIsLookedUpBeforeItsBlocksAreStored() throws {
    let list = PromptList(prompts: [
      .init(blocks: [1, 2, 3], tokens: 1536), .init(blocks: [4], tokens: 512),
      .init(blocks: [1, 2, 3], tokens: 1536),
    ])
    let record = try #require(
      try PromptList.record(list.prepared(), policy: "lru", capacity: 3, order: .tail))
    #expect(record.counts.hits == 2 && record.counts.requests == 7 && record.prefix?.hits == 2)
  }

  @Test func idleBlockIsNotFound() throws {
    let prompt = PromptList.Prompt(blocks: [1], tokens: 512)
    let list = PromptList(prompts: [prompt, prompt], microseconds: 2_000_000)
    let record = try #require(
      try PromptList.record(
        list.prepared(), policy: "nginx:inactive=1", capacity: 3, order: .tail))
    #expect(record.counts.hits == 0 && record.prefix?.hits == 0)
  }

  /// The warm-up ends in the second prompt, which is therefore not counted.
  @Test(arguments: PromptOrder.allCases)
  func promptsThatBeganInTheWarmUpAreNotCounted(order: PromptOrder) throws {
    let (blocks, prefix) = try Self.counts(5, order, warmUp: .requests(5))
    #expect(prefix.prompts == 1 && prefix.hits == 4 && prefix.inputTokens == 2000)
    #expect(blocks == (order == .front ? 4 : 6))
  }

  @Test func aTraceWithoutPromptsIsAnError() throws {
    let source = SourceSpec.generator(
      GeneratorSpec(component: try ComponentSpec(parsing: "loop:objects=5"), requests: 10))
    let trace = try PreparedTrace.prepare(
      source: source.makeSource(seed: 1) { _ in throw TraceError("none", in: "none") },
      name: "loop")
    #expect(throws: TraceError.self) { try trace.tailFirst() }
  }
}
