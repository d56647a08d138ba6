import LarderPolicies
import Testing

@testable import LarderEngine
@testable import LarderResearchModels

@Suite struct PFOOTests {
  @Test(arguments: [false, true])
  func noPolicyBeatsUpperBound(bytes: Bool) throws {
    var random = SeededGenerator(seed: bytes ? 1 : 2)
    for _ in 0..<12 {
      let trace = OwnedTrace(requests: 300, objects: 30, sized: bytes, &random)
      let unit: CapacityUnit = bytes ? .bytes : .objects
      try trace.with { columns in
        let bounds = try PFOO(columns, unit: unit)
        for capacity in [1, 5, 20, 60] as [UInt64] {
          let (upper, lower) = (
            bounds.upperBound(capacity: capacity), bounds.lowerBound(capacity: capacity)
          )
          #expect(lower <= upper)
          for policy in PolicyRegistry.standard.map(\.description.name) {
            let tier = TierSetup(policy: try PolicySpec(parsing: policy), capacity: capacity)
            let simulation = try PolicyRegistry.makeSimulation(
              SimulationSetup(arrangement: .memory(tier), unit: unit), over: columns)
            simulation.run(upTo: columns.count, untilFirstEviction: false)
            #expect(simulation.counts.hits <= upper, "\(policy) at \(capacity)")
          }
        }
      }
    }
  }

  /// a b a b with room for one: one of the two can be kept, not both.
  @Test func theBoundsOfASmallTraceAreExact() throws {
    let trace = OwnedTrace(ids: [1, 2, 1, 2], sizes: [3, 3, 3, 3])
    try trace.with { columns in
      let bounds = try PFOO(columns, unit: .bytes)
      #expect(bounds.lowerBound(capacity: 3) == 1)
      // Four time steps of 3 bytes hold both intervals of 6, if space could be moved in time.
      #expect(bounds.upperBound(capacity: 3) == 2)
      #expect(bounds.upperBound(capacity: 2) == 0)
      #expect(bounds.lowerBound(capacity: 6) == 2)
    }
  }

  @Test func missingNextUsesAreRejected() throws {
    let trace = OwnedTrace(ids: [1, 1], sizes: [1, 1])
    trace.with { columns in
      var blind = columns
      blind.nextUses = nil
      let isRefused = (try? PFOO(blind, unit: .objects).upperBound(capacity: 1)) == nil
      #expect(isRefused)
    }
  }
}
