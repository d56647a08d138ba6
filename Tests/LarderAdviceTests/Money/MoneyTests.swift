import LarderEngine
import LarderPolicies
import LarderTraces
import Testing

@testable import LarderExperiments

/// Amounts whose correct values follow from the requests by hand.
@Suite struct MoneyTests {
  /// 90 objects of 100 bytes and ten of 100,000 bytes are requested ten times each, in 30 seconds.
  private func trace() throws -> PreparedTrace {
    var lines = ""
    for place in 0..<1000 {
      let isLarge = place % 10 == 9
      let id = isLarge ? "large\(place / 10 % 10)" : "small\(place % 10)\(place / 100)"
      lines += "\(place * 30 / 999),\(id),\(isLarge ? 100_000 : 100)\n"
    }
    return try AdviceStand.csv(lines, format: "csv:time=1:id=2:size=3:time-unit=s")
  }

  private func settings(_ capacities: String, tiers: AdviceTiers) throws -> AdviceSettings {
    var settings = try AdviceStand.settings(capacities)
    settings.policies = [try PolicySpec(parsing: "fifo")]
    settings.tiers = tiers
    return settings
  }

  /// In a cache of everything each object misses once, so the bytes fetched are the footprint.
  @Test func bytesOfMissesAreCountedAtEachCapacity() throws {
    let trace = try trace()
    // Everything fits, so no policy is better than LRU, whose curve this is.
    let advice = try Advisor(trace: trace, settings: settings("100%", tiers: .memory)).make()
    #expect(advice.best.advised.name == "lru")
    let costs = try #require(advice.costs)
    let prices = Prices()
    let (requests, objects) = (1000.0, Double(trace.storableObjects))
    let months = Prices.monthSeconds / 30
    #expect(abs(costs.monthlyGets - requests * months) < 1)
    let all = try #require(costs.points.last)
    #expect(all.capacity == trace.footprintBytes)
    let right =
      months
      * (objects * prices.originPerMillionRequests / 1e6
        + Double(trace.footprintBytes) / Prices.gib * prices.originPerGiB)
    #expect(abs(all.misses / right - 1) < 1e-9)
    #expect(costs.basis == "extrapolated from 30 s of trace")
    // Each point of the curve has its own byte hit ratio, equal to that of a simulation.
    for point in advice.curve {
      let tier = TierSetup(policy: try PolicySpec(parsing: "lru"), capacity: point.capacity)
      let simulation = try PolicyRegistry.makeSimulation(
        SimulationSetup(arrangement: .memory(tier), unit: .bytes, seed: 1), over: trace.requests)
      simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
      #expect(point.byteHitRatio == simulation.counts.byteHitRatio, "\(point.capacity)")
    }
  }

  /// Each tier has its price: DRAM is too expensive for everything, and flash is not.
  @Test func capacityIsChosenByThePriceOfItsTier() throws {
    let trace = try trace()
    var recommended: [AdviceTiers: UInt64] = [:]
    for tiers in [AdviceTiers.memory, .disk, .hybrid] {
      var settings = try settings("10%,100%", tiers: tiers)
      settings.prices = Prices()
      // A cache of everything saves more than its flash costs and less than its memory would.
      settings.prices?.memoryPerGiBMonth = 1e6
      settings.prices?.flashPerGiBMonth = 1
      settings.prices?.requestsPerMonth = 1e6
      let advice = try Advisor(trace: trace, settings: settings).make()
      let costs = try #require(advice.costs)
      recommended[tiers] = advice.best.capacity
      #expect(advice.reason == .cheapest)
      // The curve has the cost of the recommendation at its capacity.
      let point = costs.points.first { $0.capacity == advice.best.capacity }
      #expect(point == costs.recommended)
      #expect((advice.best.advised.writtenPerGet != nil) == (tiers != .memory))
    }
    #expect(recommended[.memory] == trace.footprintBytes / 10)
    #expect(recommended[.disk] == trace.footprintBytes)
    #expect(recommended[.hybrid] == trace.footprintBytes)
  }

  /// Every miss writes its object, which wears out the flash.
  @Test func writesWearOutFlash() throws {
    let trace = try trace()
    var settings = try settings("100%", tiers: .disk)
    var prices = Prices()
    prices.flashPerGiBMonth = 0
    prices.flashEnduranceWrites = 1
    prices.flashReplacementPerGiB = 1
    prices.requestsPerMonth = 1000
    settings.prices = prices
    let costs = try #require(try Advisor(trace: trace, settings: settings).make().costs)
    let right = Double(trace.footprintBytes) / Prices.gib
    #expect(abs(costs.recommended.storage / right - 1) < 1e-9)
  }
}

/// Traces for which no cache helps.
@Suite struct ObstacleTests {
  private func advice(_ trace: PreparedTrace, _ capacities: String) throws -> Advice {
    try Advisor(trace: trace, settings: AdviceStand.settings(capacities)).make()
  }

  @Test func rowNumbersNeverRepeat() throws {
    let lines = (0..<500).map { "row\($0),get,\(100 + $0 % 7)\n" }.joined()
    let trace = try AdviceStand.csv(lines, format: "csv:id=1:op=2:size=3")
    let advice = try advice(trace, "1%,10%")
    #expect(advice.obstacle == .nothingRepeats && advice.reason == nil)
    #expect(advice.candidates == 1 && advice.capacities.count == 2 && advice.costs == nil)
    // One request for an object seen before is enough.
    let stored = try AdviceStand.csv(
      lines + "row3,delete,9\nrow4,get,104\n", format: "csv:id=1:op=2:size=3")
    #expect(try self.advice(stored, "100%").obstacle == nil)
  }

  @Test func capacitiesBelowEveryObjectFitNothing() throws {
    let lines = (0..<500).map { "\($0 % 20),get,\(700 + $0 % 20)\n" }.joined()
    let trace = try AdviceStand.csv(lines, format: "csv:id=1:op=2:size=3")
    let small = try advice(trace, "100B,699B")
    #expect(small.obstacle == .nothingFits && small.smallestObject == 700)
    #expect(try advice(trace, "100B,100%").obstacle == nil)
  }

  @Test func capacitiesWithoutHitsAreReported() throws {
    // The only object that fits is requested once.
    let loop = (0..<40).map { "\($0 % 10),get,5000\n" }.joined()
    let trace = try AdviceStand.csv("tiny,get,700\n" + loop, format: "csv:id=1:op=2:size=3")
    #expect(try advice(trace, "701B").obstacle == .nothingHits)
    #expect(try advice(trace, "100%").obstacle == nil)
  }
}
