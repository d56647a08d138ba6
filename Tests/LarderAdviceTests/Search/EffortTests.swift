import Testing

@testable import LarderExperiments

@Suite struct EffortTests {
  @Test func smallTracesAreSearchedInFull() {
    let effort = Effort(candidates: 350, requests: 100_000, budget: 1e8, repeated: 1)
    #expect(effort.isExhaustive)
    #expect(effort.levels == [Effort.Level(candidates: 350, share: 1)])
  }

  @Test(arguments: [1_000_000, 10_000_000, 100_000_000], [1, 3])
  func largeTracesAreSampled(_ requests: Int, _ repeated: Int) {
    let effort = Effort(candidates: 350, requests: requests, budget: 1e8, repeated: repeated)
    #expect(!effort.isExhaustive)
    #expect(effort.levels.first?.candidates == 350 && effort.levels.last?.share == 1)
    for (level, next) in zip(effort.levels, effort.levels.dropFirst()) {
      #expect(level.candidates > next.candidates && level.share < next.share)
    }
    // Three finalists are confirmed, whatever the length of the trace.
    let replayed = effort.levels.enumerated().reduce(0.0) { sum, entry in
      let times = entry.offset + 1 == effort.levels.count ? 1 : repeated
      return sum + Double(entry.element.candidates * times) * entry.element.share * Double(requests)
    }
    #expect(replayed <= max(1e8, 0.7e8 + 3 * Double(requests)) * 1.01)
  }

  @Test func moreTimeMeansMoreFinalists() throws {
    let few = Effort(candidates: 350, requests: 10_000_000, budget: 1e8, repeated: 1)
    let many = Effort(candidates: 350, requests: 10_000_000, budget: 1e9, repeated: 1)
    #expect(try #require(many.levels.last).candidates > (try #require(few.levels.last)).candidates)
  }
}
