import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// Detection and rating of changes.
@Suite struct CellChangeTests {
  private func cell(
    _ counts: [CheckMetric: UInt64], policy: String = "lru", capacity: String = "1%",
    size: UInt64 = 100, seed: UInt64 = 1
  ) -> CheckedCell {
    CheckedCell(
      name: CellName(configuration: "memory", policy: policy, capacity: capacity, seed: seed),
      size: size, unit: .objects, counts: counts)
  }

  @Test func oneHitInTwentyMillionIsFound() throws {
    let before = cell([.requests: 20_000_000, .hits: 12_345_678])
    let after = cell([.requests: 20_000_000, .hits: 12_345_677])
    let change = try #require(CellChange(from: before, to: after))
    #expect(change.kind == .worse)
    #expect(change.metrics.map(\.metric) == [.hits])
    #expect(CellChange(from: after, to: before)?.kind == .better)
    #expect(CellChange(from: before, to: before) == nil)
  }

  @Test(arguments: [
    (CheckMetric.hits, CellChange.Kind.better), (.bytesHit, .better), (.staleHits, .worse),
    (.diskWrites, .worse), (.diskBytesWritten, .worse), (.evictions, .different),
    (.expirations, .different), (.rejections, .different), (.memoryHits, .different),
    (.requests, .different),
  ])
  func increaseIsJudgedByMetric(_ metric: CheckMetric, _ kind: CellChange.Kind) {
    let change = CellChange(from: cell([metric: 10]), to: cell([metric: 11]))
    #expect(change?.kind == kind)
  }

  @Test func prefixHitsReplaceBlockHits() {
    let before = cell([.requests: 100, .hits: 50, .prefixHits: 30, .prefixTokens: 900])
    let fewer = cell([.requests: 100, .hits: 60, .prefixHits: 29, .prefixTokens: 900])
    #expect(CellChange(from: before, to: fewer)?.kind == .worse)
    let more = cell([.requests: 100, .hits: 40, .prefixHits: 31, .prefixTokens: 950])
    #expect(CellChange(from: before, to: more)?.kind == .better)
  }

  @Test func gainDoesNotOffsetLoss() {
    let before = cell([.requests: 100, .hits: 50, .diskWrites: 10])
    let after = cell([.requests: 100, .hits: 60, .diskWrites: 11])
    #expect(CellChange(from: before, to: after)?.kind == .worse)
  }

  /// 0.001 of 1,000,000 requests is 1000 hits, which is allowed; one more is not.
  @Test(arguments: [
    (UInt64(499_000), CellChange.Kind.tolerated), (498_999, .worse),
    (501_000, .tolerated), (501_001, .better),
  ])
  func toleranceOfARatioHasAnExactBorder(_ hits: UInt64, _ kind: CellChange.Kind) {
    let tolerances = [CheckTolerance.hitRatio: Share(billionths: 1_000_000)]
    let change = CellChange(
      from: cell([.requests: 1_000_000, .hits: 500_000]),
      to: cell([.requests: 1_000_000, .hits: hits]), tolerances: tolerances)
    #expect(change?.kind == kind)
  }

  @Test(arguments: [
    (UInt64(990), CellChange.Kind.tolerated), (989, .different),
    (1010, .tolerated), (1011, .different),
  ])
  func toleranceOfACountIsAShareOfTheBaseline(_ evictions: UInt64, _ kind: CellChange.Kind) {
    let tolerances = [CheckTolerance.evictions: Share(percent: 1)]
    let change = CellChange(
      from: cell([.evictions: 1000]), to: cell([.evictions: evictions]), tolerances: tolerances)
    #expect(change?.kind == kind)
  }

  @Test func toleranceOfARatioWithHugeNumbers() {
    let tolerances = [CheckTolerance.byteHitRatio: Share(percent: 1)]
    let whole = UInt64(1) << 63
    let before = cell([.bytesRequested: whole, .bytesHit: whole / 2])
    let near = cell([.bytesRequested: whole - 1, .bytesHit: whole / 2 - whole / 200])
    let far = cell([.bytesRequested: whole - 1, .bytesHit: whole / 2 - whole / 50])
    let kinds = [near, far].map {
      CellChange(from: before, to: $0, tolerances: tolerances)?.metrics.last?.kind
    }
    #expect(kinds == [.tolerated, .different])
  }

  /// More hits of more requests come from another trace and are not better.
  @Test func anotherNumberOfRequestsIsDifferent() {
    let change = CellChange(
      from: cell([.requests: 100, .hits: 50]), to: cell([.requests: 200, .hits: 110]))
    #expect(change?.kind == .different)
  }

  @Test func addedOrMissingCountIsDifferent() {
    #expect(CellChange(from: cell([:]), to: cell([.evictions: 0]))?.kind == .different)
    #expect(CellChange(from: cell([.hits: 1]), to: cell([:]))?.kind == .different)
    let moved = CellChange(from: cell([:], size: 100), to: cell([:], size: 101))
    #expect(moved?.kind == .different)
  }

  @Test func newAndMissingCellsAreNamed() {
    let before = [cell([.hits: 1], policy: "lru"), cell([.hits: 1], policy: "fifo")]
    let after = [cell([.hits: 2], policy: "lru"), cell([.hits: 1], policy: "sieve")]
    let comparison = CountsComparison(from: before, to: after)
    #expect(comparison.compared == 1)
    #expect(comparison.changes.map(\.kind) == [.better])
    #expect(comparison.new.map { "\($0.name)" } == ["memory/sieve/1%"])
    #expect(comparison.missing.map { "\($0.name)" } == ["memory/fifo/1%"])
    #expect(!comparison.isEmpty)
    #expect(CountsComparison(from: after, to: after).isEmpty)
  }

  /// A gain and a neutral change fail an exact check; a loss fails every check.
  @Test(arguments: [
    (CheckMetric.hits, 2, false), (.evictions, 1, false), (.evictions, 2, false), (.hits, 0, true),
  ])
  func lossesFailAndExactChecksFailOnEveryChange(metric: CheckMetric, now: UInt64, fails: Bool) {
    let (before, after) = ([cell([metric: 1])], [cell([metric: now])])
    let isChanged = now != 1
    for exact in [false, true] {
      let comparison = CountsComparison(from: before, to: after, exact: exact)
      #expect(comparison.failing.count == (fails || exact && isChanged ? 1 : 0))
    }
    let tolerated = CountsComparison(
      from: [cell([.evictions: 100])], to: [cell([.evictions: 101])],
      tolerances: [.evictions: Share(percent: 1)], exact: true)
    #expect(tolerated.changes.count == 1 && tolerated.failing.isEmpty)
  }

  @Test func cellsAreSortedBySizeAndNotByText() {
    let cells = [
      cell([:], capacity: "10%", size: 1000), cell([:], capacity: "2%", size: 200),
      cell([:], policy: "fifo", capacity: "5%", size: 500),
      cell([:], capacity: "2%", size: 200, seed: 7),
    ].sorted()
    #expect(
      cells.map { "\($0.name)" }
        == ["memory/fifo/5%", "memory/lru/2%", "memory/lru/2%@7", "memory/lru/10%"])
  }
}
