import Testing

@testable import LarderEngine

@Suite struct SpatialSampleTests {
  private static let trace: TestTrace = {
    var random = TestRandom(seed: 11)
    return TestTrace(
      ids: (0..<20_011).map { _ in ObjectID(1 + min(random.below(9000), random.below(9000))) })
  }()

  private static func select(_ sample: SpatialSample, in range: Range<Int>? = nil) -> [Int] {
    let columns = trace.columns()
    var positions: [Int] = []
    sample.select(in: range ?? 0..<columns.count, of: columns, into: &positions)
    return positions
  }

  @Test(arguments: [0.001, 0.01, 0.3, 1])
  func aSampleHasAllRequestsOfItsObjects(_ rate: Double) {
    let sample = SpatialSample(rate: rate, seed: 5)
    let expected = Self.trace.requests.indices.filter {
      UInt64(sample.hash(Self.trace.requests[$0].id)) < sample.threshold
    }
    #expect(Self.select(sample) == expected)
    // In parts of any length.
    #expect(
      Self.select(sample, in: 0..<17) + Self.select(sample, in: 17..<1000)
        + Self.select(sample, in: 1000..<20_011) == expected)
  }

  @Test func sampleIsSubsetOfLargerSample() {
    let small = Set(Self.select(SpatialSample(rate: 0.01, seed: 5)))
    let large = Set(Self.select(SpatialSample(rate: 0.02, seed: 5)))
    #expect(small.isStrictSubset(of: large))
    #expect(!small.isEmpty)
    #expect(Self.select(SpatialSample(rate: 0.01, seed: 6)) != small.sorted())
  }

  @Test(arguments: [0.05, 1])
  func partsAreDisjointAndComplete(_ rate: Double) {
    let sample = SpatialSample(rate: rate, seed: 5)
    let parts = (UInt32(0)..<8).map { Self.select(sample.part($0, of: 8)) }
    #expect(parts.flatMap { $0 }.sorted() == Self.select(sample))
    #expect(sample.part(3, of: 8).rate == sample.rate / 8)
    #expect(parts.allSatisfy { !$0.isEmpty })
  }

  /// Evenly spread points: the number of sampled ids in any prefix is right to within a few; a
  /// random sample of 2000 would be off by 40 on average.
  @Test(arguments: 1...20)
  func everyPrefixHasItsShare(_ seed: Int) {
    let sample = SpatialSample(rate: 0.02, seed: UInt64(seed))
    var count = 0
    for id in ObjectID(1)...100_000 {
      count += UInt64(sample.hash(id)) < sample.threshold ? 1 : 0
      #expect((Double(count) - 0.02 * Double(id)).magnitude < 6)
    }
  }

  @Test func fullSampleIsExact() throws {
    let columns = Self.trace.columns()
    let capacities: [UInt64] = [1, 10, 100, 1000, 9000]
    let pass = try FixedSizePass(
      over: columns, unit: .objects, capacities: capacities, objectsMax: 9000, seed: 1)
    while pass.position < columns.count { pass.run(upTo: pass.position + 999) }
    let exact = try LRUCurveTests.curve(of: columns, .objects)
    #expect(pass.result.hits.hits == capacities.map { Double(exact.hits(at: $0) ?? 0) })
    #expect(pass.result.sample.rate == 1)
    #expect(pass.result.hits.hitRatios.last == Double(exact.hits.last ?? 0) / 20_011)
  }

  @Test func theThresholdFalls() throws {
    let columns = Self.trace.columns()
    let pass = try FixedSizePass(
      over: columns, unit: .objects, capacities: [4500], objectsMax: 100, seed: 1)
    var threshold = UInt64.max
    while pass.position < columns.count {
      pass.run(upTo: pass.position + 500)
      #expect(pass.result.objects <= 100)
      #expect(pass.result.sample.threshold <= threshold)
      threshold = pass.result.sample.threshold
    }
    #expect(pass.result.objects == 100)
    // Of about 8000 objects, 100 are left.
    #expect((0.01...0.016).contains(pass.result.sample.rate))
    #expect(pass.result.hits.requests == 20_011)
    // The remaining sample is exactly that of a fixed rate.
    let ids = Set(Self.select(pass.result.sample).map { Self.trace.requests[$0].id })
    #expect(ids.count == 100)
  }

  @Test func fullFixedSizeSampleIsExactWithSetsAndDeletes() throws {
    var random = TestRandom(seed: 4)
    let trace = TestTrace(
      (0..<3000).map { _ in
        var request = TestRequest(id: ObjectID(1 + random.below(60)))
        request.operation = random.pick([.get, .get, .get, .set, .delete])
        return request
      }
    ).columns()
    let capacities: [UInt64] = [1, 5, 20, 60]
    let pass = try FixedSizePass(
      over: trace, unit: .objects, capacities: capacities, objectsMax: 60, seed: 1)
    pass.run(upTo: trace.count)
    let exact = try LRUCurveTests.curve(of: trace, .objects)
    #expect(pass.result.hits.hits == capacities.map { Double(exact.hits(at: $0) ?? 0) })
    #expect(pass.result.hits.requests == exact.requests)
  }

  @Test func correctionCountsMissingRequestsAsHits() {
    let few = SampledHits(requests: 100, represented: 80, hits: [0, 40])
    #expect(few.hitRatios == [0.2, 0.6])
    let many = SampledHits(requests: 100, represented: 130, hits: [20, 90])
    #expect(many.hitRatios == [0, 0.6])
    #expect(SampledHits(requests: 0, represented: 0, hits: [0]).hitRatios == [])
  }
}
