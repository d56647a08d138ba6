import TestSupport
import Testing

@testable import LarderEngine
@testable import LarderResearchAdaptive

@Suite struct FrequencySketchTests {
  private static func key(_ number: Int) -> UInt32 { Request.fingerprint(of: ObjectID(number + 1)) }

  /// Requests for `objects` * 4 keys, some of them much more popular, and their exact counts.
  private static func count(
    _ requests: Int, of objects: Int, into sketch: inout FrequencySketch, lowest: Bool = false
  ) -> [UInt32] {
    var random = TestRandom(seed: 9)
    var exact = Array(repeating: 0 as UInt32, count: objects * 4)
    for _ in 0..<requests {
      let number = random.below(objects * 2) * random.below(objects * 2) / objects
      exact[number] += 1
      if lowest {
        let estimate = sketch.incrementLowest(key(number))
        #expect(estimate == sketch.estimate(key(number)))
      } else {
        sketch.increment(key(number))
      }
    }
    return exact
  }

  @Test(arguments: [1, 8, 100, 1000], [false, true])
  func estimatesAreNeverTooLowAndSeldomTooHigh(objects: Int, lowest: Bool) {
    var sketch =
      lowest
      ? MissCounts.sketch(objects: objects) : FrequencySketch(objects: objects, period: .max)
    let exact = Self.count(
      objects * (lowest ? 8 : 3), of: objects, into: &sketch, lowest: lowest)
    var tooHigh = 0
    for (number, count) in exact.enumerated() {
      let estimate = sketch.estimate(Self.key(number))
      #expect(estimate >= min(count, FrequencySketch.estimateMax))
      tooHigh += estimate > count ? 1 : 0
    }
    #expect(tooHigh <= max(2, exact.count / (lowest ? 10 : 20)))
  }

  @Test(arguments: [false, true]) func growingKeepsEstimates(lowest: Bool) {
    var sketch =
      lowest ? MissCounts.sketch(objects: 100) : FrequencySketch(objects: 100, period: .max)
    let exact = Self.count(500, of: 100, into: &sketch, lowest: lowest)
    let before = exact.indices.map { sketch.estimate(Self.key($0)) }
    let bytes = sketch.bytes
    sketch.reserve(objects: 1000)
    let after = exact.indices.map { sketch.estimate(Self.key($0)) }
    #expect(before == after)
    let grown = sketch.bytes
    #expect(grown >= bytes * 7)
  }

  @Test(arguments: [(1, 8), (100, 800), (200, 1024), (1024, 1024), (5000, 5000)])
  func smallCachesHaveMoreCounters(objects: Int, expected: Int) {
    #expect(MissCounts.sketched(objects) == expected)
  }

  @Test func countsOfMissesSaturateAt15AndHalve() {
    var sketch = MissCounts.sketch(objects: 16)
    for _ in 0..<300 { _ = sketch.incrementLowest(Self.key(1)) }
    let highest = sketch.incrementLowest(Self.key(1))
    #expect(highest == 15)
    let found = (0..<5).map { _ in
      sketch.halve()
      return sketch.estimate(Self.key(1))
    }
    #expect(found == [7, 3, 1, 0, 0])
  }

  /// Ten keys of eight requests each, then twenty of one: the hundredth addition halves.
  @Test func endOfPeriodHalvesCounts() {
    var sketch = FrequencySketch(objects: 1000, period: 100)
    for number in 0..<80 { sketch.increment(Self.key(number % 10)) }
    for number in 100..<119 { sketch.increment(Self.key(number)) }
    let before = sketch.estimate(Self.key(0))
    #expect(before == 8)
    sketch.increment(Self.key(119))
    let often = (0..<10).map { sketch.estimate(Self.key($0)) }
    #expect(often == Array(repeating: 4, count: 10))
    let once = sketch.estimate(Self.key(105))
    #expect(once == 0)
  }

  /// A sketch of many blocks that grows, beside one that halves and copies them at once: no call
  /// takes long, and no estimate differs.
  @Test(arguments: [false, true]) func halvingAndGrowingInPartsKeepEstimates(lowest: Bool) {
    var sketch = FrequencySketch(objects: 4000, period: 20_000)
    var atOnce = FrequencySketch(objects: 4000, period: 20_000)
    var random = TestRandom(seed: 8)
    var parts: Set<UInt32> = []
    var wrong = 0
    for index in 0..<100_000 {
      let before = sketch.unswept
      let key = Self.key(random.below(6000))
      if lowest {
        if index % 20_000 == 19_999 {
          sketch.halve()
          atOnce.halve()
        }
        _ = sketch.incrementLowest(key)
        _ = atOnce.incrementLowest(key)
      } else {
        sketch.increment(key)
        atOnce.increment(key)
      }
      if index == 30_000 || index == 61_000 {
        sketch.reserve(objects: index / 3)
        atOnce.reserve(objects: index / 3)
      }
      atOnce.sweepAll()
      let after = sketch.unswept
      parts.insert(after)
      let other = Self.key(random.below(6000))
      let isEqual = sketch.estimate(other) == atOnce.estimate(other)
      wrong += isEqual && before <= after + 1 ? 0 : 1
    }
    sketch.sweepAll()
    let additions = (sketch.additions, atOnce.additions)
    #expect(additions.0 == additions.1 && wrong == 0 && parts.count >= 63)
  }

  @Test func countsSaturate() {
    var sketch = FrequencySketch(objects: 10, period: .max)
    for _ in 0..<40 { sketch.increment(Self.key(3)) }
    let estimate = sketch.estimate(Self.key(3))
    #expect(estimate == FrequencySketch.estimateMax)
  }
}
