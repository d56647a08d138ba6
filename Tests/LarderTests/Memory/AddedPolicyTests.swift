import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@testable import Larder

/// A second LRU, written as in another package: with the engine's public interface alone.
private struct OwnLRU: OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "own-lru", family: .recency, traits: .namesVictim, summary: "LRU, written by a user.",
    paper: "none")

  var list: LinkedLists

  init(_ setup: PolicySetup) { list = LinkedLists(objects: setup.objects) }

  var victim: ObjectID { list.back() }
}

/// A policy with a name that is taken.
private struct Impostor: OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "lru", family: .recency, summary: "Not LRU.", paper: "none")

  var list: LinkedLists

  init(_ setup: PolicySetup) { list = LinkedLists(objects: setup.objects) }

  var victim: ObjectID { list.front() }
}

/// A policy with an invalid name.
private struct Unspeakable: OneListPolicy, ~Copyable {
  static let description = PolicyDescription(
    name: "Own:LRU", family: .recency, summary: "LRU.", paper: "none")

  var list: LinkedLists

  init(_ setup: PolicySetup) { list = LinkedLists(objects: setup.objects) }

  var victim: ObjectID { list.back() }
}

// Added policies stay for the rest of the process, and other tests use all policies: these tests
// run in processes of their own.
#if compiler(>=6.2)
  /// A policy added at run time is available wherever policies are named.
  @Suite(.endsInTime) struct AddedPolicyTests {
    @Test func addedPolicyIsInTheRegistry() async {
      await #expect(processExitsWith: .success) {
        try PolicyRegistry.add(OwnLRU.self)
        try #require(PolicyRegistry.all.last?.description.name == "own-lru")
        try #require(PolicyRegistry.all.count == PolicyRegistry.standard.count + 1)
        let spec = try PolicySpec(parsing: "own-lru")
        try PolicyRegistry.validate(spec)
        try #require(PolicyRegistry.knowsVictim(spec))
        try #require(throws: PolicyError.unknownPolicy("own-lri", nearest: "own-lru")) {
          try PolicyRegistry.policy(named: try PolicySpec(parsing: "own-lri"))
        }
      }
    }

    @Test func takenNameIsRejected() async {
      await #expect(processExitsWith: .success) {
        try PolicyRegistry.add(OwnLRU.self)
        let reason = "a policy of this name is already registered"
        try #require(throws: PolicyError.cannotAdd("own-lru", reason: reason)) {
          try PolicyRegistry.add(OwnLRU.self)
        }
        try #require(throws: PolicyError.cannotAdd("lru", reason: reason)) {
          try PolicyRegistry.add(Impostor.self)
        }
        try #require(throws: PolicyError.self) { try PolicyRegistry.add(Unspeakable.self) }
        try #require(PolicyRegistry.all.count == PolicyRegistry.standard.count + 1)
      }
    }

    /// A memory cache with the added LRU has the same counts as one with the engine's.
    @Test func cacheCountsEqualThoseOfTheEnginesLRU() async {
      await #expect(processExitsWith: .success) {
        try PolicyRegistry.add(OwnLRU.self)
        let trace = ReplayTrace(requests: 4_000, objects: 200, sizeMax: 12, isTimed: true, seed: 5)
        for limits in [MemoryCacheLimits(count: 40), MemoryCacheLimits(weight: 160)] {
          let counts = try ["lru", "own-lru"].map { policy in
            var replay = try MemoryCacheReplay(
              MemoryCacheConfiguration(limits: limits, policy: CachePolicy(policy), shards: 1))
            replay.run(trace)
            return replay.counts
          }
          try #require(counts[0].memoryHits > 500 && counts[0] == counts[1])
        }
      }
    }

    @Test func hybridCountsEqualThoseOfTheEnginesLRU() async {
      await #expect(processExitsWith: .success) {
        try PolicyRegistry.add(OwnLRU.self)
        let trace = ReplayTrace(requests: 4_000, objects: 200, sizeMax: 12, isTimed: true, seed: 5)
        func counts(_ memory: String, _ disk: String, _ unit: CapacityUnit) throws -> Counts {
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
        for unit in [CapacityUnit.objects, .bytes] {
          let expected = try counts("lru", "lru", unit)
          try #require(try counts("own-lru", "lru", unit) == expected)
          try #require(try counts("lru", "own-lru", unit) == expected)
          try #require(try counts("own-lru", "own-lru", unit) == expected)
        }
      }
    }
  }
#endif
