import LarderContracts
import LarderPolicies
import Testing

@testable import LarderEngine

@Suite struct SegmentedSimulationTests {
  private func setup(_ policy: String, segments: SegmentSetup?) throws -> SimulationSetup {
    SimulationSetup(
      arrangement: .disk(
        TierSetup(
          policy: try PolicySpec(parsing: policy), capacity: 2000, timeToLiveSeconds: 300)),
      unit: .bytes, seed: 3, segments: segments)
  }

  @Test(arguments: ContractSpecs.storing)
  func segmentsChangeOnlyWriteCounts(policy: String) throws {
    var maker = TestTraceMaker(
      features: [.sizes, .times, .operations, .costs], capacity: 400, random: TestRandom(seed: 11))
    let columns = maker.make(requests: 3000, objects: 60).columns()
    func counts(_ segments: SegmentSetup?) throws -> Counts {
      let simulation = try PolicyRegistry.makeSimulation(
        try setup(policy, segments: segments), over: columns)
      simulation.run(upTo: columns.count / 3, untilFirstEviction: false)
      simulation.resetCounts()
      simulation.run(upTo: columns.count, untilFirstEviction: false)
      return simulation.counts
    }
    let plain = try counts(nil)
    var segmented = try counts(SegmentSetup(bytes: 16 << 10, inlineBytesMax: 0))
    let moved = try #require(segmented.disk.bytesMoved)
    #expect(plain.disk.bytesMoved == nil && plain.diskHits > 0)
    segmented.disk.bytesMoved = nil
    #expect(segmented == plain, "\(policy), \(moved) bytes moved")
  }

  @Test func onlyADiskThatCountsBytesHasSegments() throws {
    let columns = TestTrace(ids: [1, 2, 1]).columns()
    let segments = SegmentSetup(bytes: 4096)
    var inObjects = try setup("lru", segments: segments)
    inObjects.unit = .objects
    var inMemory = try setup("lru", segments: segments)
    if case .disk(let tier) = inMemory.arrangement { inMemory.arrangement = .memory(tier) }
    var withTime = try setup("lru", segments: segments)
    withTime.time = try FetchModel(latencies: [10])
    for setup in [inObjects, inMemory, withTime] {
      #expect(throws: PolicyError.self) {
        _ = try PolicyRegistry.makeSimulation(setup, over: columns)
      }
    }
  }
}
