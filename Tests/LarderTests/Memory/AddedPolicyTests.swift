import LarderEngine
import Testing

@testable import Larder

/// LRU once more, as another package would write it: with the engine's public interface alone.
private struct OwnLRU: OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "own-lru", family: .recency, summary: "LRU, written by a user.", paper: "none")

  var list: LinkedLists

  init(_ setup: PolicySetup) { list = LinkedLists(objects: setup.objects) }

  var victim: ObjectID { list.back() }
}

/// The same with a name that is taken.
private struct Impostor: OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lru", family: .recency, summary: "Not LRU.", paper: "none")

  var list: LinkedLists

  init(_ setup: PolicySetup) { list = LinkedLists(objects: setup.objects) }

  var victim: ObjectID { list.front() }
}

/// The same with a name that nobody could type.
private struct Unspeakable: OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "Own:LRU", family: .recency, summary: "LRU.", paper: "none")

  var list: LinkedLists

  init(_ setup: PolicySetup) { list = LinkedLists(objects: setup.objects) }

  var victim: ObjectID { list.back() }
}

/// A policy that is added when the program runs is known wherever one is named.
@Suite struct AddedPolicyTests {
  private static let isAdded: Bool = {
    do {
      try PolicyRegistry.add(OwnLRU.self)
      return true
    } catch {
      return false
    }
  }()

  @Test func theRegistryHasIt() throws {
    try #require(Self.isAdded)
    #expect(PolicyRegistry.all.last { $0.description.name == "own-lru" } != nil)
    #expect(PolicyRegistry.all.count > PolicyRegistry.standard.count)
    let spec = try PolicySpec(parsing: "own-lru")
    #expect(try PolicyRegistry.policy(named: spec).description.family == .recency)
    #expect(throws: Never.self) { try PolicyRegistry.validate(spec) }
    #expect(PolicyRegistry.knowsVictim(spec))
    #expect(throws: PolicyError.unknownPolicy("own-lri", nearest: "own-lru")) {
      try PolicyRegistry.policy(named: try PolicySpec(parsing: "own-lri"))
    }
  }

  @Test func aNameIsTakenOnce() throws {
    try #require(Self.isAdded)
    let reason = "there is a policy of this name already"
    #expect(throws: PolicyError.cannotAdd("own-lru", reason: reason)) {
      try PolicyRegistry.add(OwnLRU.self)
    }
    #expect(throws: PolicyError.cannotAdd("lru", reason: reason)) {
      try PolicyRegistry.add(Impostor.self)
    }
    #expect(throws: PolicyError.self) { try PolicyRegistry.add(Unspeakable.self) }
    #expect(!PolicyRegistry.all.contains { $0.description.name == "Own:LRU" })
  }

  /// Memory, disk and hybrid take it by its name, and memory counts what the engine's own counts.
  @Test(arguments: [CapacityUnit.objects, .bytes])
  func cachesCountWhatTheEnginesOwnCounts(unit: CapacityUnit) throws {
    try #require(Self.isAdded)
    let trace = ReplayTrace(requests: 4_000, objects: 200, sizeMax: 12, isTimed: true, seed: 5)
    let limits = MemoryCacheLimits(
      count: unit == .objects ? 40 : nil, cost: unit == .bytes ? 160 : nil)
    let counts = try ["lru", "own-lru"].map { policy in
      var replay = try MemoryCacheReplay(
        MemoryCacheConfiguration(limits: limits, policy: policy, shards: 1))
      replay.run(trace)
      return replay.counts
    }
    #expect(counts[0].memoryHits > 500)
    #expect(counts[0] == counts[1])
    for policies in [("own-lru", "lru"), ("lru", "own-lru"), ("own-lru", "own-lru")] {
      func simulated(_ memory: String, _ disk: String) throws -> Counts {
        let simulation = try PolicyRegistry.makeSimulation(
          SimulationSetup(
            arrangement: .hybrid(
              memory: TierSetup(policy: try PolicySpec(parsing: memory), capacity: 20),
              disk: TierSetup(policy: try PolicySpec(parsing: disk), capacity: 90),
              rules: HybridRules()),
            unit: unit),
          over: trace.columns())
        simulation.run(upTo: trace.lines.count, untilFirstEviction: false)
        return simulation.counts
      }
      #expect(try simulated(policies.0, policies.1) == simulated("lru", "lru"))
    }
  }
}
