/// Hits of an LRU cache by capacity.
package struct LRUCurve: Sendable, Hashable {
  package var requests: UInt64
  /// Gets of missing objects: misses at every capacity.
  package var coldMisses: UInt64
  /// The largest object, in the unit of the capacities; 1 if they count objects.
  package var largestObject: UInt64
  /// Gets whose size differs from that of the object's previous request.
  package var resizedGets: UInt64
  /// The counted capacities, ascending; nil for 0, 1, 2 ... up to the number of objects.
  package var capacities: [UInt64]?
  package var hits: [UInt64]

  /// Returns true if the count at a capacity equals that of a simulation: no object is larger than
  /// the capacity, which would prevent its admission, and each has the same size at all capacities.
  package func isExact(at capacity: UInt64) -> Bool {
    capacity >= largestObject && resizedGets == 0
  }

  package func hits(at capacity: UInt64) -> UInt64? {
    guard let capacities else { return hits[Int(min(capacity, UInt64(hits.count - 1)))] }
    let place = capacities.firstIndex(notBelow: capacity)
    return place < capacities.count && capacities[place] == capacity ? hits[place] : nil
  }
}

extension Array where Element: Comparable {
  /// The index of the first element of an ascending array that is not below a value: a search by
  /// halves without branches that depend on the value.
  @inline(__always) func firstIndex(notBelow value: Element) -> Int {
    var (below, length) = (0, count)
    while length > 1 {
      let half = length / 2
      below = self[below + half - 1] < value ? below + half : below
      length -= half
    }
    return length == 1 && self[below] < value ? below + 1 : below
  }
}

/// A pass over a trace with an LRU stack, specialised for the kind of weights.
protocol StackPass: ~Copyable {
  associatedtype Result
  var position: Int { get }
  var result: Result { get }
  mutating func run(upTo end: Int)
}

/// A pass behind closures: what a closure calls is specialised for the types at its creation.
package class ErasedPass<Result> {
  private let runBody: (_ end: Int) -> Void
  private let positionBody: () -> Int
  private let resultBody: () -> Result

  init<Pass: StackPass & ~Copyable>(_ pass: consuming Pass) where Pass.Result == Result {
    let held = Held(pass)
    runBody = { end in held.with { $0.run(upTo: end) } }
    positionBody = { held.with { $0.position } }
    resultBody = { held.with { $0.result } }
  }

  package var position: Int { positionBody() }
  package var result: Result { resultBody() }

  /// Continues to `end`, exclusive, which is at most the number of requests.
  package func run(upTo end: Int) { runBody(end) }
}

/// One pass over a trace that counts the hits of an LRU cache at many capacities (Mattson and
/// others 1970): with `.objects` at all of them, as a simulation of `lru` would count; with
/// `.bytes` at the given ones, exactly if `LRUCurve.isExact`. Entries never expire.
package final class LRUCurvePass: ErasedPass<LRUCurve> {
  /// Creates a pass at the first request. `capacities` ascend, and are used only with `.bytes`.
  package init(
    over columns: RequestColumns, unit: CapacityUnit, capacities: [UInt64] = []
  ) throws(PolicyError) {
    try LRUStack<RecencyBits>.check(objects: columns.objects)
    switch unit {
    case .objects: super.init(LRUPass<RecencyBits>(columns, capacities: nil))
    case .bytes: super.init(LRUPass<RecencyWeights>(columns, capacities: capacities))
    }
  }

  package static func expires(_ columns: RequestColumns) -> Bool {
    guard let ttls = columns.ttls else { return false }
    return (0..<columns.count).contains { ttls[$0] != 0 }
  }
}

struct LRUPass<Order: RecencyOrder & ~Copyable>: StackPass, ~Copyable {
  private var stack: LRUStack<Order>
  private var counter: DistanceCounts
  private let columns: RequestColumns
  private let capacities: [UInt64]?
  private var requests: UInt64 = 0
  private var coldMisses: UInt64 = 0
  private var largest: UInt32 = 1
  private var resizedGets: UInt64 = 0
  private(set) var position = 0

  private static var lookahead: Int { 16 }

  init(_ columns: RequestColumns, capacities: [UInt64]?) {
    stack = LRUStack(objects: columns.objects)
    self.columns = columns
    counter = DistanceCounts(capacities: capacities, depths: columns.objects)
    self.capacities = capacities
  }

  var result: LRUCurve {
    LRUCurve(
      requests: requests, coldMisses: coldMisses, largestObject: UInt64(largest),
      resizedGets: resizedGets, capacities: capacities, hits: counter.cumulative())
  }

  mutating func run(upTo end: Int) {
    let (ids, last) = (columns.ids, columns.count - 1)
    while position < min(end, columns.count) {
      stack.prefetch(ids[min(position + Self.lookahead, last)])
      stack.prefetchPosition(ids[min(position + Self.lookahead / 2, last)])
      let id = ids[position]
      let weight = Order.weighs ? columns.sizes?[position] ?? 1 : 1
      if let operations = columns.operations {
        apply(Operation(rawValue: operations[position]) ?? .get, id, weight)
      } else {
        get(id, weight)
      }
      position += 1
    }
  }

  @inline(__always) private mutating func get(_ id: ObjectID, _ weight: UInt32) {
    requests += 1
    if Order.weighs { largest = max(largest, weight) }
    guard let (depth, old) = stack.use(id, weight: weight) else {
      coldMisses += 1
      return
    }
    if Order.weighs, old != weight { resizedGets += 1 }
    counter.count(depth)
  }

  private mutating func apply(_ operation: Operation, _ id: ObjectID, _ weight: UInt32) {
    switch operation {
    case .get: get(id, weight)
    case .set:
      if Order.weighs { largest = max(largest, weight) }
      _ = stack.use(id, weight: weight)
    case .delete: stack.delete(id)
    case .modify, .expire: break
    case .bypass:
      requests += 1
      coldMisses += 1
    }
  }
}

/// Counts each depth at the smallest of the ascending capacities that reaches it, or at itself.
struct DistanceCounts: ~Copyable {
  private let capacities: [UInt64]?
  // By the index of a capacity, those beyond all of them last, or by depth.
  private let counts: Column<UInt64>

  init(capacities: [UInt64]?, depths: Int) {
    self.capacities = capacities
    counts = Column(objects: capacities?.count ?? depths)
  }

  @inline(__always) mutating func count(_ depth: UInt64) {
    let place = capacities?.firstIndex(notBelow: depth) ?? Int(truncatingIfNeeded: depth)
    counts[UInt32(truncatingIfNeeded: place)] &+= 1
  }

  /// Hits at each capacity, or at 0, 1, 2 ... if all depths are counted.
  func cumulative() -> [UInt64] {
    var sum: UInt64 = 0
    return (0..<(capacities?.count ?? counts.objects + 1)).map { place in
      sum += counts[UInt32(place)]
      return sum
    }
  }
}
