/// A pass over a trace that estimates LRU's hits from at most a number of objects: SHARDS with a
/// fixed size (Waldspurger and others, FAST 2015, section 3.2). Over that size, the threshold falls
/// to the largest hash; each distance and request is weighted by the inverse of the rate at its
/// time.
package final class FixedSizePass: ErasedPass<FixedSizePass.Estimate> {
  /// The estimate so far, and the sample with its current threshold and number of objects.
  package typealias Estimate = (hits: SampledHits, sample: SpatialSample, objects: Int)

  /// Creates a pass at the first request. `capacities` ascend; `objectsMax` is at least 1.
  package init(
    over columns: RequestColumns, unit: CapacityUnit, capacities: [UInt64], objectsMax: Int,
    seed: UInt64
  ) throws(PolicyError) {
    try LRUStack<RecencyBits>.check(objects: min(objectsMax, columns.objects))
    switch unit {
    case .objects:
      super.init(FixedSizeSampling<RecencyBits>(columns, capacities, objectsMax, seed))
    case .bytes:
      super.init(FixedSizeSampling<RecencyWeights>(columns, capacities, objectsMax, seed))
    }
  }
}

struct FixedSizeSampling<Order: RecencyOrder & ~Copyable>: StackPass, ~Copyable {
  private var stack: LRUStack<Order>
  // Hash above id, so that the largest hash is at the top.
  private var members = MaxHeap<UInt64>()
  private let isMember: Column<Bool>
  private let columns: RequestColumns
  private let capacities: [Double]
  // Indexed by the smallest capacity that is a hit; misses at all capacities are last.
  private var weights: [Double]
  private var represented = 0.0
  private var requests: UInt64 = 0
  private let objectsMax: Int
  private(set) var sample: SpatialSample
  private(set) var position = 0

  init(_ columns: RequestColumns, _ capacities: [UInt64], _ objectsMax: Int, _ seed: UInt64) {
    stack = LRUStack(objects: columns.objects)
    isMember = Column(objects: columns.objects)
    self.columns = columns
    self.capacities = capacities.map { Double($0) }
    weights = Array(repeating: 0, count: capacities.count + 1)
    self.objectsMax = objectsMax
    sample = SpatialSample(rate: 1, seed: seed)
  }

  var result: FixedSizePass.Estimate {
    var sum = 0.0
    let hits = weights.dropLast().map { weight in
      sum += weight
      return sum
    }
    return (
      SampledHits(requests: requests, represented: represented, hits: hits), sample, members.count
    )
  }

  mutating func run(upTo end: Int) {
    let offset = sample.offset
    while position < min(end, columns.count) {
      let id = columns.ids[position]
      let hash = SpatialSample.hash(id, offset)
      let operation = Operation(rawValue: columns.operations?[position] ?? 0) ?? .get
      if operation == .get || operation == .bypass { requests += 1 }
      if UInt64(hash) < sample.threshold { apply(operation, id, hash) }
      position += 1
    }
  }

  private mutating func apply(_ operation: Operation, _ id: ObjectID, _ hash: UInt32) {
    switch operation {
    case .modify, .expire: return
    case .bypass: count(nil)
    case .delete: stack.delete(id)
    case .get, .set:
      let use = stack.use(id, weight: Order.weighs ? columns.sizes?[position] ?? 1 : 1)
      if operation == .get { count(use?.depth) }
      guard !isMember[id] else { return }
      isMember[id] = true
      members.insert(UInt64(hash) << 32 | UInt64(id))
      if members.count > objectsMax { forgetLargest() }
    }
  }

  private mutating func count(_ depth: UInt64?) {
    let rate = sample.rate
    represented += 1 / rate
    guard let depth else { return }
    weights[capacities.firstIndex(notBelow: Double(depth) / rate)] += 1 / rate
  }

  private mutating func forgetLargest() {
    let member = members.largest
    members.removeLargest()
    sample.threshold = member >> 32
    stack.forget(ObjectID(truncatingIfNeeded: member))
  }
}

/// Hits of a cache at some capacities, estimated from a sample of the objects.
package struct SampledHits: Sendable, Hashable {
  package var requests: UInt64
  /// The number of gets that those of the sample represent, each one over the sampling rate.
  package var represented: Double
  /// The number of hits that those of the sample represent, at each capacity.
  package var hits: [Double]

  package init(requests: UInt64, represented: Double, hits: [Double]) {
    self.requests = requests
    self.represented = represented
    self.hits = hits
  }

  /// The hit ratios with the correction of SHARDS-adj: the difference between the expected and the
  /// actual number of requests in the sample is attributed to a few popular objects, which hit at
  /// nearly any capacity.
  package var hitRatios: [Double] {
    guard requests > 0 else { return [] }
    let all = Double(requests)
    return hits.map { min(1, max(0, ($0 + (all - represented)) / all)) }
  }
}

/// A sample of the objects of a trace: those with a hash below a threshold, as in SHARDS. The hash
/// is multiplicative: dense ids, in order of first appearance, times the golden ratio. Such points
/// are spread more evenly than random ones (Weyl 1916), so popular objects have close to their
/// share.
package struct SpatialSample: Sendable, Hashable {
  /// Objects with a hash below the threshold are in the sample; 2^32 includes all of them.
  package var threshold: UInt64
  package var seed: UInt64
  /// The number of equal parts that the sample is divided into: 1 or a power of two.
  package var parts: UInt32
  package var part: UInt32

  private static var all: UInt64 { 1 << 32 }

  package init(rate: Double, seed: UInt64 = 0) {
    threshold = UInt64(min(1, max(rate, 0x1p-32)) * Double(Self.all))
    self.seed = seed
    (parts, part) = (1, 0)
  }

  /// Returns a part of the sample. The parts 0 to `parts` - 1, a power of two, are disjoint and
  /// together make up the sample.
  package func part(_ part: UInt32, of parts: UInt32) -> SpatialSample {
    var sample = self
    (sample.parts, sample.part) = (parts, part)
    return sample
  }

  package var rate: Double { Double(threshold) / Double(Self.all) / Double(parts) }

  var offset: UInt32 {
    var generator = SeededGenerator(seed: seed)
    return UInt32(truncatingIfNeeded: generator.next() >> 32)
  }

  @inline(__always) static func hash(_ id: ObjectID, _ offset: UInt32) -> UInt32 {
    id &* 0x9E37_79B1 &+ offset
  }

  @inline(__always) func hash(_ id: ObjectID) -> UInt32 { Self.hash(id, offset) }

  /// Adds the positions of the requests in `range` whose objects are in the sample to `positions`,
  /// ascending. O(requests), at the speed of reading the ids.
  package func select(
    in range: Range<Int>, of columns: RequestColumns, into positions: inout [Int]
  ) {
    if threshold == Self.all {
      positions += range.lazy.filter { isInPart(columns.ids[$0]) }
      return
    }
    let (limit, offset) = (UInt32(truncatingIfNeeded: threshold), offset)
    let block = 32
    var start = range.lowerBound
    while start + block <= range.upperBound {
      let ids = columns.ids + start
      // A branchless loop of fixed length, which compiles to vector instructions.
      var found: UInt32 = 0
      for lane in 0..<block { found |= Self.hash(ids[lane], offset) < limit ? 1 : 0 }
      if found != 0 {
        for lane in 0..<block where Self.hash(ids[lane], offset) < limit {
          if isInPart(ids[lane]) { positions.append(start + lane) }
        }
      }
      start += block
    }
    for place in start..<range.upperBound
    where Self.hash(columns.ids[place], offset) < limit && isInPart(columns.ids[place]) {
      positions.append(place)
    }
  }

  @inline(__always) package func isInPart(_ id: ObjectID) -> Bool { id & (parts &- 1) == part }
}
