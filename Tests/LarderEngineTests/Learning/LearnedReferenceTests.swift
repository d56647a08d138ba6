import LarderEngine
import LarderPolicies
import Testing

/// `lrb` and `3l-cache` against the counts of their authors' programs on a trace generated here.
///
/// Both programs are in github.com/optiq-lab/3L-Cache (commit fa5caa6): 3L-Cache by its authors,
/// and LRB as implemented in libCacheSim. They were built with four changes that make them
/// deterministic: random numbers are those of `SeededGenerator`, one for each example; equal
/// predictions go to the first; a variable of `quick_demotion` that is read before it is set is 0;
/// and instead of LightGBM they call the stand-in of these tests, reimplemented in C++. With
/// LightGBM 4.7.0 on both sides, counts are equal as well: `docs/learned-policies.md`.
@Suite struct LearnedReferenceTests {
  struct Cell: CustomTestStringConvertible, Sendable {
    var spec: String
    var seed: UInt64
    /// Misses with a capacity of 100 objects, and with one of 40,000 bytes.
    var misses: (objects: UInt64, bytes: UInt64)

    var testDescription: String { "\(spec), seed \(seed)" }
  }

  private static let cells = [
    Cell(spec: "lrb:batch=500", seed: 1, misses: (8937, 7880)),
    Cell(spec: "lrb:batch=500", seed: 2, misses: (8824, 7820)),
    Cell(spec: "lrb:batch=500:objective=objects", seed: 1, misses: (8937, 8303)),
    Cell(spec: "lrb:batch=500:objective=objects", seed: 2, misses: (8824, 8298)),
    Cell(spec: "lrb:batch=500:window=3000", seed: 1, misses: (8817, 7848)),
    Cell(spec: "lrb:batch=500:window=3000", seed: 2, misses: (8647, 7799)),
    Cell(spec: "lrb:batch=500:window=3000:objective=objects", seed: 1, misses: (8817, 8003)),
    Cell(spec: "lrb:batch=500:window=3000:objective=objects", seed: 2, misses: (8647, 8022)),
    Cell(spec: "3l-cache:batch=500", seed: 1, misses: (8252, 7489)),
    Cell(spec: "3l-cache:batch=500", seed: 2, misses: (8174, 7414)),
    Cell(spec: "3l-cache:batch=500:objective=objects", seed: 1, misses: (8389, 7231)),
    Cell(spec: "3l-cache:batch=500:objective=objects", seed: 2, misses: (8419, 7331)),
  ]

  private static let ids: [ObjectID] = {
    var state: UInt64 = 12345
    func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
    var once: ObjectID = 900
    return (0..<12_000).map { place in
      let draw = Double(next()) / Double(1 << 31)
      guard next() % 5 != 0 else {
        once += 1
        return once
      }
      return ObjectID((Int(900 * draw * draw * draw) + place / 5000 * 37) % 900 + 1)
    }
  }()

  private static func size(_ id: ObjectID) -> UInt32 { 1 + (id &* 2_654_435_761) % 500 }

  @Test(arguments: cells)
  func countsAreTheAuthors(cell: Cell) throws {
    #expect(try Self.misses(cell, capacity: 100, unit: .objects) == cell.misses.objects)
    #expect(try Self.misses(cell, capacity: 40_000, unit: .bytes) == cell.misses.bytes)
  }

  private static func misses(
    _ cell: Cell, capacity: UInt64, unit: CapacityUnit
  ) throws -> UInt64 {
    let trace = TestTrace(ids.map { TestRequest(id: $0, size: size($0)) })
    return try GradientBoosting.$substitute.withValue(NaiveBooster.boosting) {
      try ContractSpecs.counts(
        cell.spec, capacity: capacity, unit: unit, seed: cell.seed, over: trace
      ).misses
    }
  }
}
