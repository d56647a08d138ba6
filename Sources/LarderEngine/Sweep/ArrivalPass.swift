/// FIFO caches of up to eight capacities in one pass.
///
/// A FIFO cache stores an object in the place of the one that it stored `capacity` misses ago, so
/// an object is resident as long as fewer misses than that have followed its own: no queue is
/// needed, and nothing happens where an object is evicted. The numbers of an object's last miss in
/// all caches are next to each other, so that a request takes a few vector operations and no
/// branch. Memory: 32 bytes an object.
struct ArrivalPass: CapacityPass, ~Copyable {
  /// What each capacity has of a number.
  typealias Lanes = SIMD8<Int32>

  private var arrivals: Column<Lanes>
  // The number of the next miss. It begins above the capacity, so that 0 is long ago.
  private var next: Lanes
  private let limits: Lanes
  private let count: Int

  private static var lookahead: Int { 16 }
  /// Memory that a pass may take.
  private static var bytesMax: Int { 1 << 30 }

  /// Empty caches; nil where there are too many objects or requests. A capacity beyond the number
  /// of objects is as good as that.
  init?(capacities: [UInt64], over columns: RequestColumns) {
    let objects = columns.objects
    let bytes = objects.multipliedReportingOverflow(by: MemoryLayout<Lanes>.stride)
    guard capacities.count <= Lanes.scalarCount, !bytes.overflow,
      bytes.partialValue <= Self.bytesMax,
      objects < IDRing.entriesMax, columns.count < Int(Int32.max) - objects - 1
    else { return nil }
    var limits = Lanes(repeating: 1)
    for (lane, capacity) in capacities.enumerated() {
      limits[lane] = Int32(min(capacity, UInt64(max(objects, 1))))
    }
    self.limits = limits
    next = limits &+ 1
    count = capacities.count
    arrivals = Column(objects: objects)
  }

  mutating func replay(_ columns: RequestColumns, from start: Int, to end: Int) {
    let (ids, last, limits) = (columns.ids, columns.count - 1, limits)
    var next = next
    for index in start..<end {
      arrivals.prefetch(ids[min(index + Self.lookahead, last)])
      let id = ids[index]
      let arrived = arrivals[id]
      let isMissing = next &- arrived .> limits
      arrivals[id] = arrived.replacing(with: next, where: isMissing)
      next = next.replacing(with: next &+ 1, where: isMissing)
    }
    self.next = next
  }

  var tallies: [CapacityTally] {
    (0..<count).map { lane in
      let misses = UInt64(next[lane] - limits[lane] - 1)
      return CapacityTally(misses: misses, residents: min(misses, UInt64(limits[lane])))
    }
  }

  var bytes: Int { arrivals.bytes }
}
