import LarderEngine
import LarderPolicies
import TestSupport
import Testing

@Suite struct SimulationContractTests {
  private static let features: TestTraceMaker.Features = [.sizes, .times, .operations, .costs]

  @Test(arguments: ContractSpecs.varied, [CapacityUnit.objects, .bytes])
  func runsAreRepeatable(spec: String, unit: CapacityUnit) throws {
    for seed in 0..<UInt64(TestEffort.rounds(40, atLeast: 10)) {
      let trace = ContractSpecs.trace(Self.features, capacity: 7, seed: seed)
      let whole = try ContractSpecs.counts(spec, capacity: 7, unit: unit, seed: 5, over: trace)
      let again = try ContractSpecs.counts(spec, capacity: 7, unit: unit, seed: 5, over: trace)
      #expect(whole == again)
      let pieces = try ContractSpecs.simulation(
        spec, capacity: 7, unit: unit, seed: 5, over: trace)
      for end in stride(from: 1, to: trace.requests.count, by: 3) {
        pieces.run(upTo: end, untilFirstEviction: false)
        #expect(pieces.position == end)
      }
      pieces.run(upTo: trace.requests.count, untilFirstEviction: false)
      #expect(pieces.counts == whole)
    }
  }

  @Test(arguments: ContractSpecs.varied)
  func resetKeepsTheContent(spec: String) throws {
    for seed in 0..<UInt64(TestEffort.rounds(40, atLeast: 10)) {
      let trace = ContractSpecs.trace(Self.features, capacity: 7, seed: seed)
      let half = trace.requests.count / 2
      let reset = try ContractSpecs.simulation(spec, capacity: 7, unit: .bytes, over: trace)
      reset.run(upTo: half, untilFirstEviction: false)
      let before = reset.counts
      reset.resetCounts()
      var nothing = Counts()
      nothing.cost = before.cost.map { _ in CostCounts(requested: 0, saved: 0) }
      #expect(reset.counts == nothing)
      reset.run(upTo: trace.requests.count, untilFirstEviction: false)
      let whole = try ContractSpecs.counts(spec, capacity: 7, unit: .bytes, over: trace)
      #expect(before.hits + reset.counts.hits == whole.hits)
      #expect(before.requests + reset.counts.requests == whole.requests)
      #expect(before.bytesHit + reset.counts.bytesHit == whole.bytesHit)
      #expect(before.evictions + reset.counts.evictions == whole.evictions)
      #expect(before.expirations + reset.counts.expirations == whole.expirations)
      #expect(before.staleHits + reset.counts.staleHits == whole.staleHits)
    }
  }

  /// With a hybrid, the first eviction on disk.
  @Test(
    arguments: ContractSpecs.storingVaried,
    [nil, .inclusive, .exclusive] as [HybridRules.Inclusion?])
  func stopsAfterTheFirstEviction(spec: String, inclusion: HybridRules.Inclusion?) throws {
    let policy = try PolicySpec(parsing: spec)
    let memory = TierSetup(policy: policy, capacity: inclusion == nil ? 6 : 2)
    let setup = SimulationSetup(
      arrangement: inclusion.map {
        .hybrid(
          memory: memory, disk: TierSetup(policy: policy, capacity: 5),
          rules: HybridRules(inclusion: $0))
      } ?? .memory(memory),
      unit: inclusion == nil ? .bytes : .objects)
    func evictions(_ counts: Counts) -> UInt64 {
      inclusion == nil ? counts.evictions : counts.disk.evictions
    }
    var stopped = 0
    for seed in 0..<40 as Range<UInt64> {
      let trace = ContractSpecs.trace(
        inclusion == nil ? [.sizes, .costs] : [.costs], capacity: inclusion == nil ? 6 : 5,
        seed: seed)
      let simulation = try PolicyRegistry.makeSimulation(setup, over: trace.columns())
      let found = simulation.run(upTo: trace.requests.count, untilFirstEviction: true)
      #expect(found == (evictions(simulation.counts) > 0))
      if !found { #expect(simulation.position == trace.requests.count) }
      stopped += found ? 1 : 0
      let shorter = try PolicyRegistry.makeSimulation(setup, over: trace.columns())
      shorter.run(upTo: simulation.position - (found ? 1 : 0), untilFirstEviction: false)
      #expect(evictions(shorter.counts) == 0)
    }
    #expect(stopped > 0)
  }
}
