import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@Suite struct DifferentialTests {
  static let specs = PolicyRegistry.standard.flatMap {
    NaivePolicies.specs(of: $0.description.name)
  }

  @Test func everyPolicyHasAModel() throws {
    for policy in PolicyRegistry.standard {
      let spec = try PolicySpec(parsing: policy.description.name)
      let model = try NaivePolicies.make(spec, capacity: 10, unit: .objects)
      #expect(model != nil, "\(spec) has no naive model")
    }
  }

  @Test func everyParameterIsVaried() {
    for policy in PolicyRegistry.standard + PolicyRegistry.learned {
      let name = policy.description.name
      let mine = EntryMemoryTests.specs.filter { $0.hasPrefix(name) }
      let specs = NaivePolicies.specs(of: name) + mine
      let varied = specs.joined(separator: " ")
      for parameter in policy.description.parameters {
        #expect(varied.contains(":\(parameter.name)="), "\(name)")
      }
    }
  }

  @Test(arguments: specs)
  func singleTierAgrees(spec: String) throws {
    var random = TestRandom(seed: 1)
    for round in 0..<TestEffort.rounds(400) {
      let setup = try Self.setup(spec, round: round, &random)
      guard try Self.agrees(setup, &random) else { return }
    }
  }

  @Test(arguments: specs)
  func longTracesAgree(spec: String) throws {
    try checkLong(spec, rounds: TestEffort.rounds(8, atLeast: 2))
  }

  @Test func recomputedModelAgrees() throws { try checkLong("lhd:samples=3:period=50", rounds: 2) }

  @Test(arguments: ["lru/lfu/arc", "w-tinylfu/mru/lirs/mq"])
  func handoverAgrees(policies: String) throws {
    try checkLong(
      "auto:policies=\(policies):shadow=16:epoch=0.3:half-life=2:margin=0", rounds: 2, above: 250,
      requests: 3000, objects: 800)
  }

  private func checkLong(
    _ spec: String, rounds: Int, above least: Int = 20, requests: Int = 1500, objects: Int = 200
  ) throws {
    var random = TestRandom(seed: 3)
    for round in 0..<rounds {
      let capacity = UInt64(least + random.below(60))
      let setup = SimulationSetup(
        arrangement: .memory(
          TierSetup(policy: try PolicySpec(parsing: spec), capacity: capacity)),
        unit: round % 2 == 0 ? .objects : .bytes, seed: random.next())
      var maker = TestTraceMaker(
        features: .random(&random), capacity: round % 2 == 0 ? capacity : 6,
        random: TestRandom(seed: random.next()))
      let trace = maker.make(requests: requests, objects: objects)
      guard try Differential.agrees(on: trace, setup, sparse: false) else { return }
    }
  }

  @Test(arguments: HybridRules.Inclusion.allCases, HybridRules.Promotion.allCases)
  func hybridAgrees(
    inclusion: HybridRules.Inclusion, promotion: HybridRules.Promotion
  ) throws {
    var random = TestRandom(seed: 2)
    for _ in 0..<TestEffort.rounds(600) {
      let tiers = try (0..<2).map { _ in
        try Self.tier(random.pick(Self.specs), maximumCapacity: 20, &random)
      }
      let setup = SimulationSetup(
        arrangement: .hybrid(
          memory: tiers[0], disk: tiers[1],
          rules: HybridRules(
            inclusion: inclusion, promotion: promotion, placement: Self.placement(&random))),
        unit: random.oneIn(2) ? .objects : .bytes, seed: random.next())
      guard try Self.agrees(setup, &random) else { return }
    }
  }

  private static func setup(
    _ spec: String, round: Int, _ random: inout TestRandom
  ) throws -> SimulationSetup {
    let tier = try tier(spec, maximumCapacity: 20, &random)
    return SimulationSetup(
      arrangement: round % 2 == 0 ? .memory(tier) : .disk(tier),
      unit: random.oneIn(2) ? .objects : .bytes, seed: random.next())
  }

  private static func tier(
    _ spec: String, maximumCapacity: Int, _ random: inout TestRandom
  ) throws -> TierSetup {
    TierSetup(
      policy: try PolicySpec(parsing: spec), capacity: UInt64(1 + random.below(maximumCapacity)),
      timeToLiveSeconds: random.oneIn(4) ? UInt32(1 + random.below(40)) : nil,
      objectsMax: random.oneIn(4) ? UInt64(1 + random.below(12)) : nil)
  }

  /// Usually none; otherwise limits among the TTLs of the test's traces, not necessarily in order.
  private static func placement(_ random: inout TestRandom) -> HybridRules.Placement? {
    guard random.oneIn(2) else { return nil }
    let short = UInt32(random.below(20))
    return HybridRules.Placement(
      memoryOnlyBelowSeconds: short,
      diskOnlyFromSeconds: random.oneIn(5) ? UInt32(random.below(20)) : short + 10)
  }

  /// Records a difference and then returns false: one is enough to investigate.
  private static func agrees(
    _ setup: SimulationSetup, _ random: inout TestRandom
  ) throws -> Bool {
    var maker = TestTraceMaker(
      features: .random(&random), capacity: setup.smallestCapacity,
      random: TestRandom(seed: random.next()))
    return try Differential.agrees(on: maker.make(), setup, sparse: random.oneIn(2))
  }
}
