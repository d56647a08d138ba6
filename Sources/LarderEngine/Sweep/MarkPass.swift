/// Caches of up to eight capacities in which a hit does nothing but mark an object, in one pass.
///
/// Two bits of state for each object and capacity are next to each other: a request marks the
/// object in all caches at once, and only those without it are visited. Memory: 2 bytes an object,
/// and 4 for each place of a queue.
struct MarkPass<Lane: MarkLane>: CapacityPass, ~Copyable {
  private let memory: MarkLanes
  private var lanes: Column<Lane>
  private var misses: Column<UInt64>
  private let count: Int

  private static var lookahead: Int { 16 }

  /// Empty caches; nil where they would need more places than there are numbers. A capacity beyond
  /// `objects` is as good as that.
  init?(capacities: [UInt64], objects: Int) {
    guard capacities.count <= MarkLanes.countMax, objects < IDRing.entriesMax else { return nil }
    let limits = capacities.map { UInt32(min($0, UInt64(max(objects, 1)))) }
    let places = limits.reduce(0) { $0 + Int(Lane.places(for: $1)) }
    guard places <= Int(ObjectID.max) else { return nil }
    count = limits.count
    lanes = Column(objects: limits.count)
    misses = Column(objects: limits.count)
    memory = MarkLanes(objects: objects, places: places)
    var start: UInt32 = 0
    for (lane, limit) in limits.enumerated() {
      lanes[UInt32(lane)] = Lane(capacity: limit, start: start)
      start += Lane.places(for: limit)
    }
  }

  mutating func replay(_ columns: RequestColumns, from start: Int, to end: Int) {
    let (ids, last) = (columns.ids, columns.count - 1)
    let all = UInt16((1 << count) - 1)
    for index in start..<end {
      memory.prefetch(ids[min(index + Self.lookahead, last)])
      let id = ids[index]
      var missing = ~memory.mark(id) & all
      while missing != 0 {
        let lane = UInt16(truncatingIfNeeded: missing.trailingZeroBitCount)
        missing &= missing &- 1
        misses[UInt32(lane)] += 1
        lanes[UInt32(lane)].store(id, in: memory, lane: lane)
      }
    }
  }

  var tallies: [CapacityTally] {
    (0..<UInt32(count)).map { lane in
      CapacityTally(misses: misses[lane], residents: UInt64(lanes[lane].count))
    }
  }

  var bytes: Int { memory.bytes + lanes.bytes }
}
