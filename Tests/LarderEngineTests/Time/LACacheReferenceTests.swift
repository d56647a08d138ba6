import LarderEngine
import LarderPolicies
import Testing

/// `la-cache` against the counts of its authors' program (github.com/GYan58/la-cache, commit
/// 2dcb806, `cache_la` built from its source) on a trace generated here.
///
/// That program has one request at each tick, and stores an object of size 1 that was fetched with
/// `--latency L` for the request L + 3 ticks after its miss. Objects of equal size rank by their
/// rates, independent of the latency, so the ranks are the same.
@Suite struct LACacheReferenceTests {
  struct Cell: CustomTestStringConvertible, Sendable {
    var capacity: UInt64
    var latency: UInt64
    var hits: UInt64
    var delayedHits: UInt64
    var misses: UInt64

    var testDescription: String { "\(capacity) objects, latency \(latency)" }
  }

  private static let cells = [
    Cell(capacity: 20, latency: 0, hits: 5602, delayedHits: 105, misses: 14293),
    Cell(capacity: 20, latency: 7, hits: 5602, delayedHits: 436, misses: 13962),
    Cell(capacity: 20, latency: 50, hits: 5532, delayedHits: 2029, misses: 12439),
    Cell(capacity: 20, latency: 400, hits: 5114, delayedHits: 7427, misses: 7459),
    Cell(capacity: 20, latency: 3000, hits: 2674, delayedHits: 15128, misses: 2198),
    Cell(capacity: 60, latency: 1, hits: 7977, delayedHits: 98, misses: 11925),
    Cell(capacity: 60, latency: 50, hits: 7902, delayedHits: 1445, misses: 10653),
    Cell(capacity: 60, latency: 400, hits: 7490, delayedHits: 5894, misses: 6616),
    Cell(capacity: 150, latency: 0, hits: 11796, delayedHits: 36, misses: 8168),
    Cell(capacity: 150, latency: 50, hits: 11768, delayedHits: 789, misses: 7443),
    Cell(capacity: 150, latency: 400, hits: 11475, delayedHits: 3682, misses: 4843),
    Cell(capacity: 150, latency: 3000, hits: 9444, delayedHits: 8995, misses: 1561),
  ]

  private static func ids() -> [ObjectID] {
    var state: UInt64 = 12345
    return (0..<20_000).map { place in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let draw = Double(state >> 33) / Double(1 << 31)
      return ObjectID((Int(400 * draw * draw * draw) + 1 + place / 2500 * 37) % 400 + 1)
    }
  }

  @Test(arguments: cells)
  func countsAreTheAuthors(cell: Cell) throws {
    let requests = Self.ids()
    let ids = Column<ObjectID>(objects: requests.count)
    let times = Column<UInt64>(objects: requests.count)
    for (place, id) in requests.enumerated() {
      ids[ObjectID(place)] = id
      times[ObjectID(place)] = UInt64(place)
    }
    let columns = RequestColumns(
      count: requests.count, objects: 400, ids: ids.view, times: times.view, owner: nil)
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(
        arrangement: .memory(
          TierSetup(policy: PolicySpec(parsing: "la-cache"), capacity: cell.capacity)),
        unit: .objects, time: FetchModel(latencies: [cell.latency + 3])),
      over: columns)
    simulation.run(upTo: requests.count, untilFirstEviction: false)
    let counts = simulation.counts
    let time = try #require(counts.time)
    #expect(counts.hits == cell.hits)
    #expect(time.delayedHits == cell.delayedHits)
    #expect(time.originFetches == cell.misses)
    _ = (ids.bytes, times.bytes)
  }
}
