import Testing

@testable import LarderTraces

/// Building blocks of generators.
struct GeneratorPartsTests {
  @Test func aliasTableFollowsItsWeights() {
    let weights = [0, 5, 0.5, 3, 0, 1.5]
    let table = AliasTable(weights: weights)
    var random = RandomStream(seed: 3)
    var counts = [Double](repeating: 0, count: weights.count)
    for _ in 0..<200_000 { counts[table.index(random.next())] += 1 }
    for (count, weight) in zip(counts, weights) {
      #expect(abs(count / 200_000 - weight / 10) < 0.004)
      #expect(weight > 0 || count == 0)
    }
    #expect(AliasTable(weights: [7]).index(.max) == 0)
  }

  @Test func eventsComeInOrder() {
    var random = RandomStream(seed: 8)
    var queue = EventQueue()
    var expected: [(time: UInt64, id: UInt32)] = []
    for id in 0..<UInt32(2000) {
      // Few times, so that many events share one.
      let time = random.next(below: 300)
      queue.insert(.init(time: time, id: id))
      expected.append((time, id))
    }
    expected.sort { ($0.time, $0.id) < ($1.time, $1.id) }
    for event in expected {
      let next = queue.next()
      #expect(next?.time == event.time && next?.id == event.id)
    }
    #expect(queue.next() == nil && queue.count == 0)
  }

  @Test func rhythmIsItsOwnInverse() {
    let rhythm = DayRhythm(hours: NewsReading.hours)
    for step in 0..<1000 {
      let time = UInt64(step) * 777_777_777
      let back = rhythm.time(at: rhythm.activity(at: time))
      #expect(max(back, time) - min(back, time) <= 100, "microseconds")
    }
    #expect(rhythm.time(at: 3) == 3 * DayRhythm.day)
    #expect(rhythm.time(at: 1e300) >= 100_000_000 * DayRhythm.day, "no overflow")
  }

  @Test func waitingTimesHaveTheirMeans() {
    var random = RandomStream(seed: 6)
    let waits = (0..<50_000).map { _ in random.nextExponential() }
    #expect(abs(waits.reduce(0, +) / 50_000 - 1) < 0.02)
    #expect(waits.allSatisfy { $0 >= 0 && $0.isFinite })
    for mean in [0.5, 3, 40] {
      let counts = (0..<50_000).map { _ in Double(random.nextGeometric(mean: mean)) }
      #expect(abs(counts.reduce(0, +) / 50_000 / mean - 1) < 0.03)
    }
    #expect(random.nextGeometric(mean: 0) == 0)
    #expect(random.nextGeometric(mean: -1) == 0)
  }
}
