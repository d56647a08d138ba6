import LarderEngine
import LarderPolicies
import LarderTraces
import Testing

@testable import LarderExperiments

/// Advice for traffic with a known correct answer.
@Suite struct AdvisorTests {
  private func advice(
    _ trace: PreparedTrace, _ settings: AdviceSettings
  ) throws -> Advice {
    try Advisor(trace: trace, settings: settings).make()
  }

  @Test func lruIsNotAdvisedForLoops() throws {
    let trace = try AdviceStand.generated("loop:objects=200", requests: 6000)
    let advice = try advice(trace, try AdviceStand.settings("100"))
    let best = advice.best
    #expect(best.matters && best.lru.hitRatio == 0 && best.advised.hitRatio > 0.4)
    // LRU keeps either all of a loop or nothing useful.
    #expect(best.lruCapacity == 200)
    #expect(advice.stability?.changes == false)
    #expect(best.isExhaustive && best.regretBoundPoints <= Choice.indifferentPoints + 1e-9)
  }

  @Test func policyIsIrrelevantForUniformRequests() throws {
    // All objects are equally likely, so no policy is better, except by chance.
    let trace = try AdviceStand.generated("uniform:objects=60", requests: 3000)
    let advice = try advice(trace, try AdviceStand.settings("60"))
    #expect(!advice.best.matters && advice.best.advised.name == "lru")
  }

  @Test func adviceDoesNotDependOnThreads() throws {
    let trace = try AdviceStand.generated(
      "zipf:objects=800", requests: 4000, sizes: "uniform:min=1:max=99")
    let all = try [1, 3].map { threads in
      try advice(
        trace,
        try AdviceStand.settings(
          "2000B,8000B", learned: Share(percent: 50), requestsMax: 1.5e6, threads: threads))
    }
    #expect(all[0] == all[1])
    #expect(all[0].capacities.count == 2 && all[0].reason == .knee)
    #expect(all[0].learnedBillionths == 500_000_000)
  }

  @Test func designsAreScoredOnTheOtherPart() throws {
    let trace = try AdviceStand.generated("zipf:objects=300", requests: 2000)
    let settings = try AdviceStand.settings("50", learned: Share(percent: 50))
    let best = try advice(trace, settings).best
    // Both parts are halves here.
    #expect(best.chosen.learnedHitRatio == best.chosen.halves[0])
    #expect(best.chosen.hitRatio == best.chosen.halves[1])
    #expect(best.hindsight.hitRatio >= best.chosen.hitRatio)
    let whole = try advice(trace, try AdviceStand.settings("50")).best
    #expect(whole.chosen.hitRatio == whole.chosen.learnedHitRatio)
    #expect(Choice.isEqual(whole.hindsight.hitRatio, whole.chosen.hitRatio))
  }

  @Test func changingTrafficIsReported() throws {
    // A loop, followed by requests with recency.
    var lines = ""
    for place in 0..<1500 { lines += "\(place % 150),get\n" }
    var random = SeededGenerator(seed: 3)
    for place in 0..<1500 {
      lines += "\(1000 + place / 4 + Int(random.next() % 60)),get\n"
    }
    let trace = try AdviceStand.csv(lines)
    let stability = try #require(try advice(trace, try AdviceStand.settings("100")).stability)
    #expect(stability.changes && stability.disagreementPoints > 0.5)
    #expect(stability.safestLossPoints <= stability.disagreementPoints)
  }

  @Test func timesToLiveCostHits() throws {
    var lines = ""
    for place in 0..<2000 { lines += "\(place * 2),\(place % 20)\n" }
    let trace = try AdviceStand.csv(lines, format: "csv:time=1:id=2:time-unit=s")
    let advice = try advice(trace, try AdviceStand.settings("20"))
    // Each object is requested again after 40 s, so no minute passes without a request for it.
    #expect(advice.lifetimes.map(\.seconds) == [60, 300, 3600])
    let lost = advice.lifetimes.map(\.lostPoints)
    #expect(lost[0] > 30 && lost == lost.sorted(by: >))
    #expect(advice.lifetimes.allSatisfy { $0.staleRatio == nil })
    #expect(advice.durationSeconds == 3998)
  }

  /// Every second request bypasses caches: it is a miss, as in a simulation.
  @Test func bypassingRequestsAreMisses() throws {
    var lines = ""
    for place in 0..<1000 {
      lines += "page\(place % 40),get,1000\nform\(place),bypass,5000\n"
    }
    let trace = try AdviceStand.csv(lines, format: "csv:id=1:op=2:size=3")
    #expect(trace.footprintBytes == 40_000 && trace.storableObjects == 40)
    let whole = try advice(trace, try AdviceStand.settings("40000B"))
    #expect(whole.best.advised.hitRatio == 0.48 && whole.best.lru.hitRatio == 0.48)
    #expect(whole.curve.allSatisfy { $0.hitRatio <= 0.48 })
    #expect(whole.lruCurve.last?.capacity == 40_000 && whole.lruCurve.last?.hitRatio == 0.48)
    #expect(whole.trace.storableObjects == 40 && whole.uncacheableRatio == 0.5)
    let half = try advice(trace, try AdviceStand.settings("100%", learned: Share(percent: 50)))
    #expect(half.best.capacity == 40_000)
    #expect(half.best.lru.hitRatio == 0.5 && half.best.lru.wholeHitRatio == 0.48)
    let posts = try AdviceStand.csv(
      String(repeating: "a,bypass,9\n", count: 20), format: "csv:id=1:op=2:size=3")
    #expect(throws: AdviceError.noGets(trace: "t.csv")) {
      try Advisor(trace: posts, settings: AdviceSettings(learned: nil))
    }
  }

  @Test(arguments: [PromptOrder.front, .tail])
  func promptsAreAdvisedByPrefixHits(_ order: PromptOrder) throws {
    let trace = try AdviceStand.generated("llm-prefix", requests: 3000)
    for learned in [nil, Share(percent: 50)] {
      var settings = try AdviceStand.settings("300", learned: learned)
      settings.prefix = order
      settings.policies = try ["sieve", "fifo"].map { try PolicySpec(parsing: $0) }
      let advice = try advice(trace, settings)
      #expect(Set(advice.best.runnersUp.map(\.policy)).isSubset(of: ["lru", "sieve", "fifo"]))
      let lru = advice.best.lru
      let turned = order == .tail ? try trace.tailFirst() : trace
      let tier = TierSetup(policy: try PolicySpec(parsing: "lru"), capacity: 300)
      let simulation = try PolicyRegistry.makeSimulation(
        SimulationSetup(arrangement: .memory(tier), unit: .objects, seed: 1),
        over: turned.requests)
      var prefixes = PrefixReplay(simulation, over: turned, order: order)
      _ = prefixes.run(upTo: turned.requests.count, untilFirstEviction: false)
      let counts = prefixes.counts
      #expect(lru.wholeHitRatio == Double(counts.hits) / Double(turned.requests.count))
      #expect(lru.wholeHitRatio <= (simulation.counts.hitRatio ?? 0))
      if learned == nil {
        #expect(lru.tokenShare == Double(counts.tokens) / Double(counts.inputTokens))
      }
      #expect(advice.splits.isEmpty && advice.prefix == order)
    }
  }

  /// Samples say nothing about prefixes: the budget limits the designs and not the requests.
  @Test func promptsAreSimulatedInFull() throws {
    let trace = try AdviceStand.generated("llm-prefix", requests: 20_000)
    var settings = try AdviceStand.settings(
      "500", learned: Share(percent: 50), requestsMax: 2e6)
    settings.prefix = .front
    let advice = try advice(trace, settings)
    #expect(advice.best.isExhaustive && advice.best.regretBoundPoints >= 0)
    #expect(advice.candidates >= 8 && advice.candidates < 100)
    #expect(advice.curve.allSatisfy { !$0.isEstimate })
    #expect(advice.notes.contains { $0.hasPrefix("Prompts are simulated in full only") })
  }

  @Test func unsupportedPromptSettingsAreErrors() throws {
    let plain = try AdviceStand.generated("zipf:objects=100", requests: 500)
    var settings = try AdviceStand.settings("50")
    settings.prefix = .front
    #expect(throws: AdviceError.noPrompts(trace: plain.name)) {
      try Advisor(trace: plain, settings: settings)
    }
    let prompts = try AdviceStand.generated("llm-prefix", requests: 500)
    settings.tiers = .hybrid
    #expect(throws: AdviceError.prefixesOfTiers) {
      try Advisor(trace: prompts, settings: settings)
    }
    settings.prefix = nil
    settings.policies = [try PolicySpec(parsing: "belady")]
    #expect(throws: AdviceError.self) { try Advisor(trace: plain, settings: settings) }
  }

  @Test func disksAndCosts() throws {
    let trace = try AdviceStand.generated(
      "zipf:objects=1000:exponent=0.7", requests: 3000, sizes: "constant:value=1000")
    var settings = try AdviceStand.settings("100000B")
    var prices = Prices()
    prices.originPerMillionRequests = 1000
    settings.prices = prices
    let advice = try advice(trace, settings)
    #expect(advice.splits.first?.disk == 0)
    #expect(advice.splits.dropFirst().allSatisfy { $0.disk > $0.memory && $0.writtenPerGet > 0 })
    // With an expensive origin nearly any disk pays off.
    let alone = try #require(advice.splits.first)
    let cheapest = try #require(advice.splits.min { $0.monthlyCost < $1.monthlyCost })
    #expect(cheapest.disk > 0 && cheapest.monthlyCost < alone.monthlyCost)
    let costs = try #require(advice.costs)
    #expect(!costs.areExamples && costs.cheapest.total <= costs.recommended.total)
    #expect(costs.points.allSatisfy { $0.total == $0.storage + $0.misses })
    #expect(costs.assumptions.count == 11)
    settings.tiers = .hybrid
    let hybrid = try Advisor(trace: trace, settings: settings).make()
    #expect(hybrid.splits.contains { $0.disk == 100_000 && $0.memory == 10_000 })
    #expect(hybrid.splits.first?.memory == 0 && hybrid.splits.first?.disk == 100_000)
    // The disk alone costs the same as a point of the curve and as the first of the splits.
    let difference =
      (hybrid.costs?.recommended.total ?? 0) - (hybrid.splits.first?.monthlyCost ?? 1)
    #expect(difference.magnitude < 1e-9)
    settings.tiers = .memory
    #expect(try Advisor(trace: trace, settings: settings).make().splits.isEmpty)
  }

  @Test func defaultCapacitiesAreChosen() throws {
    let trace = try AdviceStand.generated("zipf:objects=500", requests: 2000)
    let advice = try advice(trace, AdviceSettings(learned: nil, threads: 2))
    #expect(advice.capacities.map(\.label) == ["1%", "3%", "10%", "30%"])
    #expect(advice.reason == .knee)
    let tiny = try AdviceStand.csv(String(repeating: "a,get\nb,get\n", count: 10))
    #expect(try self.advice(tiny, AdviceSettings(threads: 1)).capacities.count == 1)
  }

  @Test func unsupportedSettingsAreErrors() throws {
    let short = try AdviceStand.csv("a,get\nb,get\n")
    let half = Share(percent: 50)
    #expect(throws: AdviceError.tooShort(trace: "t.csv", requests: 2)) {
      try Advisor(trace: short, settings: AdviceSettings(learned: half))
    }
    let sets = try AdviceStand.csv(String(repeating: "a,set\n", count: 20))
    #expect(throws: AdviceError.noGets(trace: "t.csv")) {
      try Advisor(trace: sets, settings: AdviceSettings(learned: nil))
    }
    #expect(throws: AdviceError.noSizes(trace: "t.csv")) {
      try Advisor(trace: short, settings: AdviceSettings(unit: .bytes, learned: nil))
    }
    #expect(throws: AdviceError.self) {
      try Advisor(trace: short, settings: try AdviceStand.settings("64MiB")).make()
    }
  }
}
