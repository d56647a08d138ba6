import LarderEngine
import LarderTraces
import LarderWorkloads
import Testing

@testable import LarderAdvice

/// Advice for traffic of which the right answer is known.
@Suite struct AdvisorTests {
  private func advice(
    _ trace: PreparedTrace, _ settings: AdviceSettings
  ) throws -> Advice {
    try Advisor(trace: trace, settings: settings).make()
  }

  @Test func loopsAreNotForLRU() throws {
    let trace = try AdviceStand.generated("loop:objects=200", requests: 6000)
    let advice = try advice(trace, try AdviceStand.settings("100"))
    let best = advice.best
    #expect(best.matters && best.lru.hitRatio == 0 && best.advised.hitRatio > 0.4)
    // LRU holds all of a loop or nothing of use.
    #expect(best.lruCapacity == 200)
    #expect(advice.stability?.changes == false)
    #expect(best.isExhaustive && best.regretBoundPoints == 0)
  }

  @Test func uniformRequestsDoNotMatter() throws {
    // Every object is as likely as every other one: nobody can do better, but for chance.
    let trace = try AdviceStand.generated("uniform:objects=60", requests: 3000)
    let advice = try advice(trace, try AdviceStand.settings("60"))
    #expect(!advice.best.matters && advice.best.advised.name == "lru")
  }

  @Test func threadsDoNotMatter() throws {
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

  @Test func chosenOnOnePartAndScoredOnTheOther() throws {
    let trace = try AdviceStand.generated("zipf:objects=300", requests: 2000)
    let settings = try AdviceStand.settings("50", learned: Share(percent: 50))
    let best = try advice(trace, settings).best
    // Both parts are halves here.
    #expect(best.chosen.learnedHitRatio == best.chosen.halves[0])
    #expect(best.chosen.hitRatio == best.chosen.halves[1])
    #expect(best.hindsight.hitRatio >= best.chosen.hitRatio)
    let whole = try advice(trace, try AdviceStand.settings("50")).best
    #expect(whole.chosen.hitRatio == whole.chosen.learnedHitRatio)
    #expect(whole.hindsight.hitRatio == whole.chosen.hitRatio)
  }

  @Test func trafficThatChangesIsTold() throws {
    // A loop, and then requests of which the recent ones come back.
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
    // Each object comes back after 40 s: no minute passes without a request for it.
    #expect(advice.lifetimes.map(\.seconds) == [60, 300, 3600])
    let lost = advice.lifetimes.map(\.lostPoints)
    #expect(lost[0] > 30 && lost == lost.sorted(by: >))
    #expect(advice.lifetimes.allSatisfy { $0.staleRatio == nil })
    #expect(advice.durationSeconds == 3998)
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
    // A dear origin pays for nearly any disk.
    let alone = try #require(advice.splits.first)
    let cheapest = try #require(advice.splits.min { $0.monthlyCost < $1.monthlyCost })
    #expect(cheapest.disk > 0 && cheapest.monthlyCost < alone.monthlyCost)
    let costs = try #require(advice.costs)
    #expect(!costs.areExamples && costs.cheapest.total <= costs.recommended.total)
    #expect(costs.points.allSatisfy { $0.total == $0.memory + $0.misses })
    #expect(costs.assumptions.count == 11)
    settings.tiers = .hybrid
    let hybrid = try Advisor(trace: trace, settings: settings).make()
    #expect(hybrid.splits.contains { $0.disk == 100_000 && $0.memory == 10_000 })
    settings.tiers = .memory
    #expect(try Advisor(trace: trace, settings: settings).make().splits.isEmpty)
  }

  @Test func capacitiesAreChosenWhereNoneAreNamed() throws {
    let trace = try AdviceStand.generated("zipf:objects=500", requests: 2000)
    let advice = try advice(trace, AdviceSettings(learned: nil, threads: 2))
    #expect(advice.capacities.map(\.label) == ["1%", "3%", "10%", "30%"])
    #expect(advice.reason == .knee)
    let tiny = try AdviceStand.csv(String(repeating: "a,get\nb,get\n", count: 10))
    #expect(try self.advice(tiny, AdviceSettings(threads: 1)).capacities.count == 1)
  }

  @Test func whatCannotBeAdvisedIsTold() throws {
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
