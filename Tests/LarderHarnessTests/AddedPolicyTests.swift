import LarderEngine
import LarderExperiments
import LarderPolicies
import TestSupport
import Testing

@testable import LarderHarness

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

    /// Real caches and simulations with the added LRU count like those with the engine's.
    @Test func countsEqualThoseOfTheEnginesLRU() async {
      await #expect(processExitsWith: .success) {
        try PolicyRegistry.add(OwnLRU.self)
        let trace = ExecutionTrace(requests: 4_000, sizeMax: 12, seed: 5).prepared()
        func counts(_ memory: String, _ disk: String?, _ unit: CapacityUnit) throws -> Counts {
          let capacities: (UInt64, UInt64) = unit == .objects ? (20, 90) : (160, 500)
          let tier = try ExecutionStand.tier(memory, capacity: capacities.0)
          var arrangement = Arrangement.memory(tier)
          if let disk {
            let large = try ExecutionStand.tier(disk, capacity: capacities.1)
            arrangement = .hybrid(memory: tier, disk: large, rules: HybridRules())
          }
          let planned = ExecutionStand.cell(arrangement, unit: unit)
          let (execution, simulated) = try ExecutionStand().compare(planned, over: trace)
          try #require(execution.counts == simulated && simulated.hits > 200)
          return simulated
        }
        for unit in [CapacityUnit.objects, .bytes] {
          try #require(try counts("own-lru", nil, unit) == counts("lru", nil, unit))
          let expected = try counts("lru", "lru", unit)
          for (memory, disk) in [("own-lru", "lru"), ("lru", "own-lru"), ("own-lru", "own-lru")] {
            try #require(try counts(memory, disk, unit) == expected)
          }
        }
      }
    }
  }
#endif
