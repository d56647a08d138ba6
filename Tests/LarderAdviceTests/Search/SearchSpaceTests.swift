import LarderEngine
import LarderPolicies
import LarderTraces
import Testing

@testable import LarderExperiments

@Suite struct SearchSpaceTests {
  private func space(_ unit: CapacityUnit, sizes: String? = nil) throws -> [Candidate] {
    let trace = try AdviceStand.generated("zipf:objects=100", requests: 500, sizes: sizes)
    return try SearchSpace(for: trace.requests, unit: unit).candidates
  }

  @Test func everyCandidateCanBeCreated() throws {
    let trace = try AdviceStand.generated(
      "zipf:objects=100", requests: 500, sizes: "uniform:min=1:max=9")
    let whole = MiniTrace(whole: trace, ends: [trace.requests.count])
    for candidate in try space(.bytes, sizes: "uniform:min=1:max=9") {
      for rate in [1, 0.01] {
        let tier = try candidate.tier(capacity: 200, rate: rate)
        #expect(throws: Never.self, "\(candidate) at \(rate)") {
          try PolicyRegistry.makeSimulation(
            SimulationSetup(arrangement: .memory(tier), unit: .bytes), over: whole.trace.requests)
        }
      }
    }
  }

  @Test func lruIsFirstAndSimplerDesignsPrecedeOthers() throws {
    let candidates = try space(.objects)
    #expect(candidates.first?.description == "lru")
    #expect(Set(candidates).count == candidates.count)
    #expect(candidates.count > 300)
    let names = candidates.map(\.description)
    for (simple, other) in [("fifo", "arc"), ("arc", "auto"), ("auto", "s3-fifo:small=0.2")] {
      let (first, second) = (names.firstIndex(of: simple), names.firstIndex(of: other))
      #expect(try #require(first) < (try #require(second)), "\(simple) and \(other)")
    }
  }

  @Test func offlinePoliciesAreExcluded() throws {
    let names = Set(try space(.objects).map(\.policy.name))
    #expect(names.isDisjoint(with: ["belady", "belady-size", "pfoo-u", "pfoo-l"]))
    let possible = PolicyRegistry.standard.filter {
      !($0.type?.notices.contains(.requests) ?? false)
    }
    .map(\.description).filter {
      !$0.needs.contains(.nextUse) && !$0.needs.contains(.ttl) && $0.needs != .cost
        && $0.server == nil
    }
    #expect(names == Set(possible.map(\.name)))
  }

  @Test func serverRulesAreCandidatesOnRequest() throws {
    #expect(Set(try space(.objects).map(\.policy.name)).isDisjoint(with: ["nginx", "redis-lru"]))
    let trace = try AdviceStand.generated("zipf:objects=50", requests: 100)
    let asked = try SearchSpace(
      for: trace.requests, unit: .objects, policies: [PolicySpec(parsing: "nginx")])
    #expect(Set(asked.candidates.map(\.policy.name)) == ["lru", "nginx"])
    for name in ["belady", "pfoo-u", "lrb"] {
      #expect(throws: AdviceError.self, "\(name)") {
        try SearchSpace(
          for: trace.requests, unit: .objects, policies: [PolicySpec(parsing: name)])
      }
    }
  }

  @Test func configurationsOfRequestedPolicyAreCandidates() throws {
    let trace = try AdviceStand.generated("zipf:objects=50", requests: 100)
    func specs(_ policies: [String]) throws -> Set<PolicySpec> {
      let space = try SearchSpace(
        for: trace.requests, unit: .objects, policies: policies.map { try PolicySpec(parsing: $0) })
      return Set(space.candidates.map(\.policy))
    }
    let declared = Set(try PolicyRegistry.configurations(of: "s4-fifo"))
    let (lru, plain) = (try PolicySpec(parsing: "lru"), try PolicySpec(parsing: "s4-fifo"))
    #expect(declared.count == 18)
    #expect(try specs(["s4-fifo"]) == declared.union([lru, plain]))
    // Parameters that are given are the only ones.
    let exact = try PolicySpec(parsing: "s4-fifo:small=0.3")
    #expect(try specs(["s4-fifo:small=0.3"]) == [lru, exact])
    // A search over all policies leaves them out.
    #expect(Set(try space(.objects).map(\.policy)).isDisjoint(with: declared))
  }

  @Test func filtersBySizeNeedSizes() throws {
    let byCount = Set(try space(.objects).compactMap { $0.admission?.name })
    let bySize = Set(
      try space(.bytes, sizes: "uniform:min=1:max=9").compactMap { $0.admission?.name })
    #expect(byCount == ["probabilistic", "second-hit", "tinylfu"])
    #expect(bySize == byCount.union(["size", "adaptsize"]))
  }

  @Test func defaultsAreNotWritten() throws {
    let names = Set(try space(.objects).map(\.description))
    #expect(names.isSuperset(of: ["s3-fifo", "s3-fifo:small=0.2", "clock", "lirs:hir=0.05"]))
    #expect(!names.contains { $0.contains("small=0.1") && !$0.contains("small=0.01") })
  }

  @Test func countsAreScaledInSamples() throws {
    let candidate = Candidate(
      policy: try PolicySpec(parsing: "lhd"),
      admission: try PolicySpec(parsing: "second-hit:window=10000"))
    let tier = try candidate.tier(capacity: 1000, rate: 0.01)
    #expect(tier.capacity == 10)
    #expect(tier.policy.values["period"] == "10486")
    #expect(tier.admission?.values["window"] == "100")
    // Capacities of a trace that is a sample are those of the sample.
    let sampled = try candidate.tier(capacity: 100, rate: 0.1, sampled: 0.1)
    #expect(sampled.capacity == 10 && sampled.policy == tier.policy)
    #expect(sampled.admission == tier.admission)
    let adaptive = Candidate(
      policy: try PolicySpec(parsing: "lru"), admission: try PolicySpec(parsing: "adaptsize"))
    // 25 requests are below the filter's minimum; the first valid doubling is used.
    let scaled = try adaptive.tier(capacity: 1000, rate: 0.0001)
    #expect(scaled.admission?.values["interval"] == "1600")
    #expect(try candidate.tier(capacity: 1000).policy.values.isEmpty)
  }

  @Test(arguments: [
    ("redis-lru", "redis-lru:empty=9736"), ("memcached", "memcached:beyond=0"),
    ("nginx:keys=900", "nginx:keys=9"),
  ])
  func memoryOfServersIsScaledInSamples(_ name: String, _ scaled: String) throws {
    let tier = TierSetup(policy: try PolicySpec(parsing: name), capacity: 6400)
    let own = TierSetup(policy: try PolicySpec(parsing: scaled), capacity: 64)
    #expect(try TraceSampling(rate: 0.01).scaled(.memory(tier)) == .memory(own))
  }

  @Test func tiersEqualThoseOfRealCaches() throws {
    let candidate = Candidate(policy: try PolicySpec(parsing: "lirs"))
    #expect(try candidate.tier(capacity: 10).policy.values["stack"] == "3")
  }
}
