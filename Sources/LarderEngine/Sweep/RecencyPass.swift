/// LRU caches of several capacities in one pass.
struct RecencyPass: CapacityPass, ~Copyable {
  private var levels: RecencyLevels
  // For each capacity its division.
  private let divisions: [Int]
  private let depths: [UInt32]
  // Requests that were found in each division; 0 is beyond the last.
  private var found: Column<UInt64>
  private var requests: UInt64 = 0

  private static var lookahead: Int { 16 }

  /// Empty caches. A capacity beyond `objects` is as good as that.
  init(capacities: [UInt64], objects: Int) {
    let limits = capacities.map { UInt32(min($0, UInt64(max(objects, 1)))) }
    let depths = Set(limits).sorted()
    levels = RecencyLevels(depths: depths, objects: objects)
    divisions = limits.map { limit in depths.firstIndex(of: limit).map { $0 + 1 } ?? 0 }
    self.depths = depths
    found = Column(objects: depths.count)
  }

  mutating func replay(_ columns: RequestColumns, from start: Int, to end: Int) {
    let (ids, last) = (columns.ids, columns.count - 1)
    for index in start..<end {
      levels.prefetch(ids[min(index + Self.lookahead, last)])
      levels.prefetchNeighbours(ids[min(index + Self.lookahead / 2, last)])
      found[UInt32(truncatingIfNeeded: levels.use(ids[index]))] += 1
    }
    requests += UInt64(end - start)
  }

  var tallies: [CapacityTally] {
    divisions.map { division in
      let hits = (1...division).reduce(0) { $0 + found[UInt32($1)] }
      return CapacityTally(
        misses: requests - hits, residents: UInt64(min(levels.length, depths[division - 1])))
    }
  }

  var bytes: Int { levels.bytes }
}
