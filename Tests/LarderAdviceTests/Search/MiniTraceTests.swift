import LarderEngine
import Testing

@testable import LarderExperiments

@Suite struct MiniTraceTests {
  @Test func segmentsOfTheWholeTrace() throws {
    let trace = try AdviceStand.csv("a,get\nb,set\na,get\nc,get\na,delete\nb,get\n")
    let mini = MiniTrace(whole: trace, ends: [2, 3, 6])
    #expect(mini.gets == [1, 1, 2] && mini.rate == 1)
    var counts = [Counts(), Counts(), Counts()]
    counts[2].memoryHits = 1
    #expect(mini.hitRatio(counts, in: 0..<3) == 0.25)
    #expect(mini.hitRatio(counts, in: 2..<3) == 0.5)
    #expect(mini.hitRatio(counts, in: 0..<0) == 0)
  }

  @Test func samplesRepresentTheirSegments() throws {
    let trace = try AdviceStand.generated("uniform:objects=2000", requests: 20_000)
    let sample = SpatialSample(rate: 0.25, seed: 1)
    let mini = try MiniTrace(of: trace, sample: sample, ends: [10_000, 20_000])
    #expect(mini.gets == [10_000, 10_000])
    #expect(mini.ends.last == mini.trace.requests.count)
    #expect(mini.sampledGets.allSatisfy { (2200...2800).contains($0) })
    // Missing requests of the sample count as hits: if all of the sample hits, everything hits.
    #expect(mini.ratio(hits: mini.sampledGets[0], in: 0..<1) == 1)
  }

  @Test func windowsRepresentTheirShare() throws {
    let trace = try AdviceStand.generated("uniform:objects=2000", requests: 20_000)
    let mini = try MiniTrace(
      of: trace, sample: SpatialSample(rate: 1), share: 0.1, ends: [10_000, 20_000])
    #expect(mini.gets == [1000, 1000] && mini.trace.requests.count == 2000)
    #expect(mini.trace.requests.ids[0] == 1)
  }

  @Test func partsOfATraceHaveTheirSegments() {
    let learned = Segments(requests: 1000, learned: Share(percent: 20))
    #expect(learned.ends == [200, 500, 1000])
    #expect(learned.learned == 0..<1 && learned.scored == 1..<3)
    #expect(learned.firstHalf == 0..<2 && learned.secondHalf == 2..<3)
    let half = Segments(requests: 1000, learned: Share(percent: 50))
    #expect(half.ends == [500, 1000] && half.learned == half.firstHalf)
    #expect(Segments(requests: 19, learned: Share(percent: 5)).learned == 0..<1)
    #expect(Segments(requests: 19, learned: Share(percent: 5)).ends == [1, 9, 19])
    let whole = Segments(requests: 1000, learned: nil)
    #expect(whole.learned == 0..<2 && whole.scored == 0..<2)
  }
}
