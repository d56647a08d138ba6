import Testing

@testable import LarderEngine
@testable import LarderResearchAdaptive

/// The sketch of misses against exact counts.
@Suite struct MissSketchTests {
  private static func key(_ number: Int) -> UInt32 {
    Request.fingerprint(of: ObjectID(number + 1))
  }

  /// Requests for `objects` * 4 keys, some of them much more popular, and their exact counts.
  private static func count(
    _ requests: Int, of objects: Int, into sketch: inout FrequencySketch
  ) -> [UInt32] {
    var random = TestRandom(seed: 9)
    var exact = Array(repeating: 0 as UInt32, count: objects * 4)
    for _ in 0..<requests {
      let number = random.below(objects * 2) * random.below(objects * 2) / objects
      exact[number] += 1
      let estimate = sketch.incrementLowest(key(number))
      #expect(estimate == sketch.estimate(key(number)))
    }
    return exact
  }

  @Test(arguments: [1, 8, 100, 1000])
  func estimatesAreNeverTooLowAndSeldomTooHigh(objects: Int) {
    var sketch = MissCounts.sketch(objects: objects)
    let exact = Self.count(objects * 8, of: objects, into: &sketch)
    var tooHigh = 0
    for (number, count) in exact.enumerated() {
      let estimate = sketch.estimate(Self.key(number))
      #expect(estimate >= min(count, FrequencySketch.estimateMax))
      tooHigh += estimate > count ? 1 : 0
    }
    #expect(tooHigh <= max(2, exact.count / 10))
  }

  @Test func growingKeepsEstimates() {
    var sketch = MissCounts.sketch(objects: 100)
    let exact = Self.count(500, of: 100, into: &sketch)
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

  @Test func countsSaturateAt15AndHalve() {
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
}
