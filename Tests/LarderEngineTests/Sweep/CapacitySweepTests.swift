import TestSupport
import Testing

@testable import LarderEngine
import LarderPolicies

/// Several capacities in one pass count what each simulation counts alone.
@Suite struct CapacitySweepTests {
  static let names = PolicyRegistry.standard.map(\.description.name)
    .filter { SimulatedPolicy.standard[$0]?.sweep != nil }

  @Test func lruAndFIFOHaveSweeps() {
    #expect(Self.names == ["fifo", "lru"])
  }

  @Test(arguments: names)
  func countsEqualSimulations(_ name: String) throws {
    var evictions: UInt64 = 0
    for seed in 0..<TestEffort.rounds(600) {
      var random = TestRandom(seed: UInt64(seed))
      let objects = 1 + random.below(60)
      let ids = (0..<1 + random.below(400)).map { _ in
        ObjectID(1 + min(random.below(objects), random.below(objects)))
      }
      // Neighbouring, equal and far too large ones among them.
      let capacities = (0..<2 + random.below(7)).map { _ in
        random.below(10) == 0 ? 1 << 40 : UInt64(1 + random.below(1 + random.below(80)))
      }
      let warmUp = random.below(ids.count)
      let trace = TestTrace(ids: ids).columns(sparse: true)
      let setups = try capacities.map { try Self.setup(name, $0) }
      let sweep = try #require(PolicyRegistry.makeSweep(setups, over: trace))
      sweep.run(upTo: warmUp / 2)
      sweep.run(upTo: warmUp)
      sweep.resetCounts()
      sweep.run(upTo: ids.count)
      for (setup, counts) in zip(setups, sweep.counts) {
        let simulation = try PolicyRegistry.makeSimulation(setup, over: trace)
        simulation.run(upTo: warmUp, untilFirstEviction: false)
        simulation.resetCounts()
        simulation.run(upTo: ids.count, untilFirstEviction: false)
        #expect(counts == simulation.counts, "seed \(seed), capacities \(capacities)")
        evictions += counts.evictions
      }
    }
    #expect(evictions > UInt64(TestEffort.rounds(10_000)))
  }

  @Test func countsOfOneAreThoseOfASimulation() throws {
    var evictions: UInt64 = 0
    for seed in 0..<TestEffort.rounds(3000) {
      var random = TestRandom(seed: UInt64(seed))
      let objects = 1 + random.below(seed % 3 == 0 ? 6 : seed % 3 == 1 ? 60 : 700)
      let ids = (0..<1 + random.below(seed % 100 == 0 ? 20_000 : 900)).map { _ in
        ObjectID(1 + min(random.below(objects), random.below(objects), random.below(objects)))
      }
      let capacity = random.below(20) == 0 ? 1 << 40 : UInt64(1 + random.below(1 + objects))
      let trace = TestTrace(ids: ids).columns(sparse: true)
      let setup = try Self.setup("lru", capacity)
      let sweep = try #require(PolicyRegistry.makeSweep([setup], over: trace))
      let simulation = try PolicyRegistry.makeSimulation(setup, over: trace)
      let warmUp = random.below(ids.count)
      sweep.run(upTo: warmUp)
      sweep.resetCounts()
      sweep.run(upTo: ids.count)
      simulation.run(upTo: warmUp, untilFirstEviction: false)
      simulation.resetCounts()
      simulation.run(upTo: ids.count, untilFirstEviction: false)
      #expect(sweep.counts == [simulation.counts], "seed \(seed), capacity \(capacity)")
      evictions += simulation.counts.evictions
    }
    #expect(evictions > UInt64(TestEffort.rounds(10_000)))
  }

  @Test func diskHitsAreCountedAsDiskHits() throws {
    let trace = TestTrace(ids: [1, 2, 1, 3, 1]).columns(sparse: true)
    let setups = try [1, 2].map { capacity in
      SimulationSetup(
        arrangement: .disk(
          TierSetup(policy: try PolicySpec(parsing: "lru"), capacity: capacity)), unit: .objects)
    }
    let sweep = try #require(PolicyRegistry.makeSweep(setups, over: trace))
    sweep.run(upTo: 5)
    #expect(sweep.counts.map(\.diskHits) == [0, 2])
    #expect(sweep.counts.map(\.memoryHits) == [0, 0])
  }

  @Test func unsupportedSetupsHaveNoSweep() throws {
    let plain = TestTrace(ids: [1, 2, 1, 3, 1]).columns(sparse: true)
    let lru = try [1, 2].map { try Self.setup("lru", $0) }
    #expect(PolicyRegistry.makeSweep(lru, over: plain) != nil)
    let fifo = try Self.setup("fifo", 1)
    #expect(PolicyRegistry.makeSweep([fifo], over: plain) == nil, "better on its own")
    #expect(PolicyRegistry.makeSweep([], over: plain) == nil, "no capacity")
    let nine = try (1...9).map { try Self.setup("lru", $0) }
    #expect(PolicyRegistry.makeSweep(nine, over: plain) == nil, "too many capacities")
    let mixed = [lru[0], try Self.setup("fifo", 2)]
    #expect(PolicyRegistry.makeSweep(mixed, over: plain) == nil, "two policies")
    let gdsf = try [1, 2].map { try Self.setup("gdsf", $0) }
    #expect(PolicyRegistry.makeSweep(gdsf, over: plain) == nil, "no pass")
    var bytes = lru
    for place in bytes.indices { bytes[place].unit = .bytes }
    #expect(PolicyRegistry.makeSweep(bytes, over: plain) == nil, "bytes")
    var outcomes = lru
    for place in outcomes.indices { outcomes[place].recordsOutcomes = true }
    #expect(PolicyRegistry.makeSweep(outcomes, over: plain) == nil, "outcomes")
    let zero = try [0, 2].map { try Self.setup("lru", $0) }
    #expect(PolicyRegistry.makeSweep(zero, over: plain) == nil, "a capacity that is refused")
    let all = TestTrace(ids: [1, 2, 1, 3, 1]).columns()
    #expect(all.operations != nil)
    #expect(PolicyRegistry.makeSweep(lru, over: all) == nil, "operations")
    var limited = lru
    limited[1].arrangement = .memory(
      TierSetup(policy: try PolicySpec(parsing: "lru"), capacity: 2, objectsMax: 1))
    #expect(PolicyRegistry.makeSweep(limited, over: plain) == nil, "a limit")
  }

  private static func setup(_ name: String, _ capacity: UInt64) throws -> SimulationSetup {
    SimulationSetup(
      arrangement: .memory(TierSetup(policy: try PolicySpec(parsing: name), capacity: capacity)),
      unit: .objects)
  }
}
