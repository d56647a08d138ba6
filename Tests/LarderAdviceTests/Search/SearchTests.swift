import LarderEngine
import LarderPolicies
import LarderSupport
import LarderTraces
import Testing

@testable import LarderExperiments

@Suite struct SearchTests {
  private func search(
    _ trace: PreparedTrace, capacity: UInt64, budget: Double, learned: Share? = nil,
    threads: Int = 2
  ) throws -> Search {
    Search(
      trace: trace, candidates: try SearchSpace(for: trace.requests, unit: .objects).candidates,
      segments: Segments(requests: trace.requests.count, learned: learned),
      replayer: Replayer(
        threads: threads, seed: 1, unit: .objects, cancellation: Cancellation(),
        replayed: { _ in }),
      capacity: capacity, budget: budget, seed: 1, tier: .memory, looksAround: learned != nil)
  }

  @Test func exhaustiveSearchFindsTheBest() throws {
    let trace = try AdviceStand.generated("zipf:objects=500:exponent=0.8", requests: 3000)
    let search = try search(trace, capacity: 40, budget: 1e9)
    let outcome = try search.run()
    #expect(outcome.isExhaustive && outcome.finalists.count == search.candidates.count)
    #expect(outcome.regretBound == 0)
    var best = 0.0
    for candidate in search.candidates {
      let simulation = try PolicyRegistry.makeSimulation(
        SimulationSetup(
          arrangement: .memory(try candidate.tier(capacity: 40)), unit: .objects, seed: 1),
        over: trace.requests)
      simulation.run(upTo: trace.requests.count, untilFirstEviction: false)
      best = max(best, Double(simulation.counts.hits) / 3000)
    }
    #expect(outcome.finalists.first?.trial.scored == best)
  }

  @Test func samplesKeepLRUAndStayWithinTheBudget() throws {
    let trace = try AdviceStand.generated("zipf:objects=4000:exponent=0.8", requests: 10_000)
    let outcome = try search(trace, capacity: 1000, budget: 6e5).run()
    #expect(!outcome.isExhaustive)
    #expect((3...35).contains(outcome.finalists.count))
    #expect(outcome.replayed < 7.5e5)
    let candidates = try SearchSpace(for: trace.requests, unit: .objects).candidates
    #expect(outcome.finalists.contains { candidates[$0.candidate].description == "lru" })
  }

  @Test func resultsDoNotDependOnThreads() throws {
    let trace = try AdviceStand.generated("zipf:objects=4000:exponent=0.8", requests: 6000)
    let share = Share(percent: 50)
    let runs = try [1, 3].map { threads in
      try search(trace, capacity: 800, budget: 5e5, learned: share, threads: threads).run()
    }
    #expect(runs[0].finalists.map(\.candidate) == runs[1].finalists.map(\.candidate))
    #expect(runs[0].finalists.map(\.counts) == runs[1].finalists.map(\.counts))
    #expect(runs[0].regretBound == runs[1].regretBound)
  }

  @Test func cancellationEndsTheSearch() throws {
    let trace = try AdviceStand.generated("zipf:objects=500", requests: 3000)
    var search = try search(trace, capacity: 40, budget: 1e9)
    let cancellation = Cancellation()
    cancellation.request()
    search = Search(
      trace: trace, candidates: search.candidates, segments: search.segments,
      replayer: Replayer(
        threads: 2, seed: 1, unit: .objects, cancellation: cancellation, replayed: { _ in }),
      capacity: 40, budget: 1e9, seed: 1, tier: .memory, looksAround: false)
    #expect(throws: AdviceError.cancelled) { try search.run() }
  }

  @Test func choicesIncludeSmallerCaches() {
    func trial(_ candidate: Int, _ learned: [Double]) -> Trial {
      Trial(candidate: candidate, learned: learned, scored: 0, halves: [0, 0])
    }
    // Equal at the largest capacity, which never fills; smaller ones decide.
    let trials = [
      trial(0, [0.5, 0.3, 0.1]), trial(1, [0.5, 0.4, 0.1]), trial(2, [0.5, 0.4, 0.2]),
    ]
    #expect(Choice.ranking(trials) == [2, 1, 0])
    #expect(Choice.ranking([trial(4, [0.5]), trial(3, [0.5])]) == [1, 0])
  }

  /// Scored hit ratios of ranked candidates, LRU's, and the number of the recommended candidate.
  @Test(
    arguments: [
      // Not better than LRU on the scored part.
      ([(7, 0.4285)], 0.4308, nil), ([(7, 0.432)], 0.4308, nil), ([(7, 0.4328)], 0.4308, nil),
      ([(7, 0.433)], 0.4308, 7),
      // The simplest within 0.2 points of the first, if it is better than LRU, too.
      ([(7, 0.5), (3, 0.4981), (2, 0.4979)], 0.4, 3), ([(7, 0.5), (3, 0.499)], 0.4975, 7),
      // A better one in hindsight was not chosen.
      ([(7, 0.5), (3, 0.6)], 0.4, 7), ([(7, 0.3), (3, 0.6)], 0.4, nil),
    ] as [([(Int, Double)], Double, Int?)])
  func simplestOfEqualDesignsIsRecommended(
    _ ranked: [(Int, Double)], _ lru: Double, _ expected: Int?
  ) {
    func trial(_ candidate: Int, _ scored: Double) -> Trial {
      Trial(candidate: candidate, learned: [0], scored: scored, halves: [0, 0])
    }
    let place = Choice.recommended(ranked.map { trial($0.0, $0.1) }, lru: trial(0, lru))
    #expect(place.map { ranked[$0].0 } == expected)
  }
}
