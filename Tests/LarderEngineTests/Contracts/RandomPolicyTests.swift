import LarderEngine
import Testing

/// Policies that draw random numbers: repeatable, and as random as they claim.
@Suite struct RandomPolicyTests {
  private static func uniformTrace(objects: Int, requests: Int) -> TestTrace {
    var random = TestRandom(seed: 11)
    return TestTrace(ids: (0..<requests).map { _ in ObjectID(1 + random.below(objects)) })
  }

  @Test(arguments: ContractSpecs.random)
  func seedDeterminesCounts(spec: String) throws {
    let trace = Self.uniformTrace(objects: 100, requests: 5000)
    func counts(_ seed: UInt64) throws -> Counts {
      try ContractSpecs.counts(spec, capacity: 30, seed: seed, over: trace)
    }
    #expect(try counts(1) == counts(1))
    let different = try Set((1...8).map { try counts($0).hits })
    #expect(different.count > 1)
  }

  /// Uniform requests hit with the probability capacity / objects. 40,000 of them at 30 % have a
  /// standard deviation of less than 0.4 points.
  @Test func uniformRequestsHitInProportion() throws {
    let trace = Self.uniformTrace(objects: 100, requests: 40_000)
    for seed in 1...4 as ClosedRange<UInt64> {
      let counts = try ContractSpecs.counts("random", capacity: 30, seed: seed, over: trace)
      #expect(abs((counts.hitRatio ?? 0) - 0.3) < 0.015)
    }
  }

  /// Each of eight residents is the victim equally often over 8000 seeds: chi-square with seven
  /// degrees of freedom stays below 24.3 in 999 of 1000 cases.
  @Test func everyResidentIsEquallyLikelyToBeEvicted() throws {
    var victims = Array(repeating: 0.0, count: 8)
    for seed in 0..<8000 as Range<UInt64> {
      let probe = try ContractSpecs.probe("random", capacity: 8, objects: 9, seed: seed)
      for id in 1...8 as ClosedRange<ObjectID> { _ = probe.request(Request(id: id)) }
      guard case .stored(let evicted) = probe.request(Request(id: 9)), evicted.count == 1 else {
        Issue.record("expected one victim")
        return
      }
      victims[Int(evicted[0]) - 1] += 1
    }
    let square = victims.reduce(0) { $0 + ($1 - 1000) * ($1 - 1000) / 1000 }
    #expect(square < 24.3, "\(victims)")
  }
}
