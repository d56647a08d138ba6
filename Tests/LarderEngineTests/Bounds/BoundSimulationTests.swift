import LarderPolicies
import Testing

@testable import LarderEngine

@Suite struct BoundSimulationTests {
  private func run(
    _ name: String, _ columns: RequestColumns, _ unit: CapacityUnit, capacity: UInt64,
    warmUp: Int = 0
  ) throws -> Counts {
    let tier = TierSetup(policy: try PolicySpec(parsing: name), capacity: capacity)
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(arrangement: .memory(tier), unit: unit), over: columns)
    if warmUp > 0 {
      simulation.run(upTo: warmUp, untilFirstEviction: false)
      simulation.resetCounts()
    }
    // In parts, like the harness.
    simulation.run(upTo: (warmUp + columns.count) / 2, untilFirstEviction: false)
    simulation.run(upTo: columns.count, untilFirstEviction: false)
    return simulation.counts
  }

  @Test(arguments: [CapacityUnit.objects, .bytes], [0, 100])
  func everyPolicyStaysBelow(unit: CapacityUnit, warmUp: Int) throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<6 {
      let trace = TestTrace(requests: 300, objects: 30, sized: unit == .bytes, &random)
      let columns = trace.columns(sparse: true)
      for capacity in [3, 20, 60] as [UInt64] {
        let upper = try run("pfoo-u", columns, unit, capacity: capacity, warmUp: warmUp)
        let lower = try run("pfoo-l", columns, unit, capacity: capacity, warmUp: warmUp)
        #expect(lower.hits <= upper.hits)
        #expect(lower.bytesHit <= upper.bytesHit)
        for policy in ContractSpecs.storing {
          let counts = try run(policy, columns, unit, capacity: capacity, warmUp: warmUp)
          #expect(counts.requests == upper.requests && counts.requests == lower.requests)
          #expect(counts.bytesRequested == upper.bytesRequested)
          #expect(counts.hits <= upper.hits, "\(policy) at \(capacity)")
          #expect(counts.bytesHit <= upper.bytesHit, "\(policy) at \(capacity), bytes")
        }
      }
    }
  }

  /// a b a b, 3 and 5 bytes, room for 5: each interval fits alone, and b is worth more.
  @Test func bytesHaveTheirOwnBound() throws {
    let trace = TestTrace(ids: [1, 2, 1, 2], sizes: [3, 5, 3, 5])
    let columns = trace.columns(sparse: true)
    let upper = try run("pfoo-u", columns, .bytes, capacity: 5)
    // 20 bytes of space, and the intervals need 6 and 10.
    #expect(upper.hits == 2 && upper.bytesHit == 8)
    let lower = try run("pfoo-l", columns, .bytes, capacity: 5)
    #expect(lower.hits == 1 && lower.bytesHit == 3)
    // At a capacity of 4, 16 - 6 of the second interval's 10 fit, and its 5 bytes do not.
    #expect(try run("pfoo-u", columns, .bytes, capacity: 4).bytesHit == 3)
  }

  @Test(arguments: [
    ([Operation.get, .modify, .get], [2, 2, .max] as [UInt32], 1),
    ([.get, .delete, .get], [.max, 2, .max], 0),
    ([.set, .get, .set, .get], [1, .max, 3, .max], 2),
  ])
  func onlyCopiesAreHit(operations: [Operation], nextUses: [UInt32], hits: Int) throws {
    var columns = TestTrace(operations.map { TestRequest(operation: $0, id: 1) }).columns(
      sparse: true)
    try nextUses.withUnsafeBufferPointer { next in
      columns.nextUses = next.baseAddress
      for bound in ["pfoo-u", "pfoo-l"] {
        let counts = try run(bound, columns, .objects, capacity: 3)
        #expect(counts.hits == UInt64(hits), "\(bound)")
      }
    }
  }

  /// a b a b with room for one. Four time steps of 3 bytes hold both intervals of 6, if space could
  /// be moved in time.
  @Test func boundsOfASmallTraceAreExact() throws {
    let trace = TestTrace(ids: [1, 2, 1, 2], sizes: [3, 3, 3, 3])
    let columns = trace.columns(sparse: true)
    for (bound, capacity, hits) in [
      ("pfoo-l", 3, 1), ("pfoo-u", 3, 2), ("pfoo-u", 2, 0), ("pfoo-l", 6, 2),
    ] as [(String, UInt64, UInt64)] {
      #expect(try run(bound, columns, .bytes, capacity: capacity).hits == hits)
    }
    var blind = columns
    blind.nextUses = nil
    #expect(throws: PolicyError.self) { try run("pfoo-u", blind, .bytes, capacity: 3) }
  }

  @Test func aBoundIsNotAPolicy() throws {
    let spec = try PolicySpec(parsing: "pfoo-l")
    let tier = TierSetup(policy: spec, capacity: 2)
    let trace = TestTrace(ids: [1, 1], sizes: [1, 1])
    let columns = trace.columns(sparse: true)
    let hybrid = SimulationSetup(
      arrangement: .hybrid(memory: tier, disk: tier, rules: HybridRules()), unit: .objects)
    #expect(throws: PolicyError.boundOnly("pfoo-l", where: "a tier of a hybrid cache")) {
      _ = try PolicyRegistry.makeSimulation(hybrid, over: columns)
    }
    var limited = tier
    limited.objectsMax = 1
    #expect(throws: PolicyError.self) {
      _ = try PolicyRegistry.makeSimulation(
        SimulationSetup(arrangement: .memory(limited), unit: .objects), over: columns)
    }
  }
}
