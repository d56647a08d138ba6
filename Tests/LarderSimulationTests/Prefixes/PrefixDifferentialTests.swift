import LarderEngine
import LarderPolicies
import LarderTraces
import Testing

@testable import LarderExperiments

/// Counts of prefixes against plain arrays on random conversations.
struct PrefixDifferentialTests {
  /// Small conversations over few blocks, so that prefixes are found and lost again.
  private static func list(seed: UInt64) -> PromptList {
    var random = SeededGenerator(seed: seed)
    var conversations = [[UInt64]](repeating: [0], count: 6)
    var nextKey: UInt64 = 1
    var list = PromptList(prompts: [])
    for _ in 0..<400 {
      let number = Int(random.next() % 6)
      if random.next() % 5 == 0 {
        let kept = 1 + Int(random.next() % UInt64(conversations[number].count))
        conversations[number].removeLast(conversations[number].count - kept)
      }
      for _ in 0..<random.next() % 4 where conversations[number].count < 12 {
        conversations[number].append(nextKey)
        nextKey += 1
      }
      let blocks = conversations[number]
      let partial = UInt32(random.next() % 512)
      list.prompts.append(
        .init(blocks: blocks, tokens: UInt32(blocks.count) * 512 - partial))
    }
    return list
  }

  /// A cache as an array, the next victim first.
  private static func naive(
    _ list: PromptList, capacity: Int, order: PromptOrder, isLRU: Bool
  ) -> (hits: UInt64, prefix: PrefixCounts) {
    var cache: [UInt64] = []
    var hits: UInt64 = 0
    var prefix = PrefixCounts()
    for prompt in list.prompts {
      var outcomes: [Bool] = []
      let found = Set(prompt.blocks.filter(cache.contains))
      for block in order == .front ? prompt.blocks : prompt.blocks.reversed() {
        let isHit = cache.contains(block)
        outcomes.append(isHit || order == .tail && found.contains(block))
        if outcomes.last == true { hits += 1 }
        if isHit, isLRU { cache.removeAll { $0 == block } }
        if !isHit, cache.count == capacity { cache.removeFirst() }
        if !isHit || isLRU { cache.append(block) }
      }
      if order == .tail { outcomes.reverse() }
      let front = UInt64(outcomes.prefix { $0 }.count)
      prefix.prompts += 1
      prefix.hits += front
      prefix.tokens += min(512 * front, UInt64(prompt.tokens))
      prefix.inputTokens += UInt64(prompt.tokens)
    }
    return (hits, prefix)
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func countsEqualThoseOfArrays(seed: UInt64) throws {
    let list = Self.list(seed: seed)
    let trace = try list.prepared()
    for order in PromptOrder.allCases {
      for capacity in [1, 2, 7, 20, 60] {
        for policy in ["lru", "fifo"] {
          let expected = Self.naive(
            list, capacity: capacity, order: order, isLRU: policy == "lru")
          let record = try #require(
            try PromptList.record(
              trace, policy: policy, capacity: UInt64(capacity), order: order))
          #expect(record.prefix == expected.prefix, "\(seed) \(policy) \(capacity) \(order)")
          #expect(record.counts.hits == expected.hits)
        }
      }
    }
  }

  /// For every policy, counts equal those of stepping through all blocks and checking each outcome,
  /// and block hits equal those of a simulation without prompts. In tail-first order a block that
  /// was found before the prompt is a hit.
  @Test(arguments: PolicyRegistry.standard.map(\.description.name))
  func countsEqualSteppingForEveryPolicy(policy: String) throws {
    let list = Self.list(seed: 99)
    for order in PromptOrder.allCases {
      let trace = try PrefixReplay.trace(list.prepared(), in: order)
      let tier = TierSetup(policy: try PolicySpec(parsing: policy), capacity: 25)
      let setup = SimulationSetup(arrangement: .memory(tier), unit: .objects, seed: 1)
      let simulation = try PolicyRegistry.makeSimulation(setup, over: trace.requests)
      var (expected, evicted): (UInt64, UInt64) = (0, 0)
      for prompt in list.prompts {
        var outcomes: [Bool] = []
        let start = simulation.position
        let found = prompt.blocks.indices.map {
          order == .tail && simulation.holds(trace.requests.ids[start + $0])
        }
        for place in prompt.blocks.indices {
          let before = simulation.counts.hits
          simulation.run(upTo: simulation.position + 1, untilFirstEviction: false)
          let isHit = simulation.counts.hits > before
          #expect(order == .front || !isHit || found[place], "nothing else stores a block")
          if found[place], !isHit { evicted += 1 }
          outcomes.append(isHit || found[place])
        }
        if order == .tail { outcomes.reverse() }
        expected += UInt64(outcomes.prefix { $0 }.count)
      }
      var counts = simulation.counts
      counts.memoryHits += evicted
      counts.memoryBytesHit += evicted
      let record = try #require(
        try PromptList.record(list.prepared(), policy: policy, capacity: 25, order: order))
      #expect(record.prefix?.hits == expected, "\(order)")
      #expect(record.counts == counts, "\(order)")
    }
  }

  /// The tail-first trace has each prompt reversed, and next uses in that order.
  @Test func tailFirstTraceReversesEachPrompt() throws {
    let list = Self.list(seed: 5)
    var turned = list
    for index in turned.prompts.indices { turned.prompts[index].blocks.reverse() }
    let (ours, expected) = (try list.prepared().tailFirst(), try turned.prepared())
    let original = try list.prepared()
    #expect(ours.requests.count == expected.requests.count)
    for index in 0..<ours.requests.count {
      #expect(ours.prompts?[index] == expected.prompts?[index])
      #expect(ours.requests.nextUses?[index] == expected.requests.nextUses?[index])
      #expect(ours.requests.times?[index] == original.requests.times?[index])
    }
    #expect(try original.tailFirst() === original.tailFirst())
  }
}
