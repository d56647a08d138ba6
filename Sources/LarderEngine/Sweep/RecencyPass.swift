/// LRU caches of up to eight capacities in one pass.
///
/// No list is kept: the trace is the list. An object is resident as long as its last request is not
/// older than that of the least recently requested object that the cache still has, so a cache is
/// one position of the trace. Where something is evicted, that position moves on to the next
/// request that was its object's last; requests that were not have a bit each. Memory: 4 bytes an
/// object and a bit a request.
struct RecencyPass: CapacityPass, ~Copyable {
  // The last request of each object, counted from 1.
  private var latest: Column<UInt32>
  private var outdated: Column<UInt64>
  // The capacities in ascending order.
  private let lanes: Column<Lane>
  /// For each capacity as given its place in ascending order.
  private let places: [Int]

  /// One cache. Not private: the compiler of Swift 6.3.1 fails on that in debug builds.
  struct Lane: BitwiseCopyable {
    var capacity: UInt64
    var misses: UInt64 = 0
    // The request at which to look for the next victim: what was requested from there on is
    // resident.
    var oldest: UInt32 = 1
  }

  private static var lookahead: Int { 48 }

  /// Empty caches; nil where there are too many requests. A capacity beyond the number of objects
  /// is as good as that.
  init?(capacities: [UInt64], over columns: RequestColumns) {
    guard columns.count < Int(UInt32.max) else { return nil }
    let order = capacities.indices.sorted { (capacities[$0], $0) < (capacities[$1], $1) }
    var places = Array(repeating: 0, count: capacities.count)
    lanes = Column(objects: capacities.count)
    for (place, index) in order.enumerated() {
      places[index] = place
      lanes[UInt32(place)] = Lane(capacity: capacities[index])
    }
    self.places = places
    latest = Column(objects: columns.objects)
    outdated = Column(objects: columns.count / 64 + 1)
  }

  mutating func replay(_ columns: RequestColumns, from start: Int, to end: Int) {
    let (ids, last, count) = (columns.ids, columns.count - 1, places.count)
    let lanes = lanes.row(from: 0, count: count)
    for index in start..<end {
      latest.prefetch(ids[min(index + Self.lookahead, last)])
      outdated.prefetch(latest[ids[min(index + Self.lookahead / 3, last)]] / 64)
      let id = ids[index]
      let before = latest[id]
      latest[id] = UInt32(truncatingIfNeeded: index + 1)
      outdated[before / 64] |= 1 &<< UInt64(before % 64)
      // What a cache does not have, smaller ones do not have either.
      var lane = 0
      while lane < count, before < lanes[lane].oldest {
        if lanes[lane].misses >= lanes[lane].capacity {
          lanes[lane].oldest = victim(from: lanes[lane].oldest) + 1
        }
        lanes[lane].misses += 1
        lane += 1
      }
    }
  }

  /// The first request from `position` on that was the last of its object.
  @inline(__always)
  private func victim(from position: UInt32) -> UInt32 {
    var word = position / 64
    var current = ~outdated[word] & (UInt64.max &<< UInt64(position % 64))
    while current == 0 {
      word += 1
      current = ~outdated[word]
    }
    return word * 64 + UInt32(truncatingIfNeeded: current.trailingZeroBitCount)
  }

  var tallies: [CapacityTally] {
    places.map { place in
      let lane = lanes[UInt32(place)]
      return CapacityTally(misses: lane.misses, residents: min(lane.misses, lane.capacity))
    }
  }

  var bytes: Int { latest.bytes + outdated.bytes }
}
