/// The state of a `FixedSizePass`, specialised for what the stack weighs.
struct FixedSizeSampling<Order: RecencyOrder & ~Copyable>: ~Copyable {
  private var stack: LRUStack<Order>
  // Hash above id, so that the largest hash comes first.
  private var members = MaxHeap<UInt64>()
  private let isMember: Column<Bool>
  private let columns: RequestColumns
  private let capacities: [Double]
  // By the smallest capacity that is a hit; misses at all of them come last.
  private var weights: [Double]
  private var represented = 0.0
  private var requests: UInt64 = 0
  private let objectsMax: Int
  private(set) var sample: SpatialSample
  private(set) var position = 0

  /// Before the first request.
  init(_ columns: RequestColumns, _ capacities: [UInt64], _ objectsMax: Int, _ seed: UInt64) {
    stack = LRUStack(objects: columns.objects)
    isMember = Column(objects: columns.objects)
    self.columns = columns
    self.capacities = capacities.map { Double($0) }
    weights = Array(repeating: 0, count: capacities.count + 1)
    self.objectsMax = objectsMax
    sample = SpatialSample(rate: 1, seed: seed)
  }

  var sampledObjects: Int { members.count }

  var estimate: SampledHits {
    var sum = 0.0
    let hits = weights.dropLast().map { weight in
      sum += weight
      return sum
    }
    return SampledHits(requests: requests, represented: represented, hits: hits)
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
    let distance = Double(depth) / rate
    var low = 0
    var high = capacities.count
    while low < high {
      let middle = (low + high) / 2
      if capacities[middle] < distance { low = middle + 1 } else { high = middle }
    }
    weights[low] += 1 / rate
  }

  private mutating func forgetLargest() {
    let member = members.largest
    members.removeLargest()
    sample.threshold = member >> 32
    stack.forget(ObjectID(truncatingIfNeeded: member))
  }
}
