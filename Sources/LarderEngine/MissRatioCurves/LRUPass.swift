/// A pass over a trace with an LRU stack, specialised for what the stack weighs and how hits are
/// counted.
struct LRUPass<Order: RecencyOrder & ~Copyable, Counter: DistanceCounter & ~Copyable>: ~Copyable {
  private var stack: LRUStack<Order>
  private var counter: Counter
  private let columns: RequestColumns
  private let capacities: [UInt64]?
  private var requests: UInt64 = 0
  private var coldMisses: UInt64 = 0
  private var largest: UInt32 = 1
  private var resizedGets: UInt64 = 0
  private(set) var position = 0

  /// How far ahead of a request its state is fetched.
  private static var lookahead: Int { 16 }

  /// Before the first request.
  init(_ columns: RequestColumns, counter: consuming Counter, capacities: [UInt64]?) {
    stack = LRUStack(objects: columns.objects)
    self.columns = columns
    self.counter = counter
    self.capacities = capacities
  }

  var stateBytes: Int { stack.bytes }

  var curve: LRUCurve {
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

  @inline(__always)
  private mutating func get(_ id: ObjectID, _ weight: UInt32) {
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
