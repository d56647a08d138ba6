import LarderEngine

@testable import LarderHarness
@testable import LarderTraces

/// A random trace with all optional columns.
struct ExecutionTrace {
  var requests = 3_000
  var objects = 200
  var sizeMax: UInt64 = 60
  var hasOperations = true
  var hasExpiries = false
  var isTimed = true
  var hasSizes = true
  var seed: UInt64 = 1

  func prepared() -> PreparedTrace {
    var random = SeededGenerator(seed: seed)
    var (ids, sizes, times, operations, ttls, costs) = (
      [ObjectID](), [UInt32](), [UInt64](), [UInt8](), [UInt32](), [Float]()
    )
    var known: [UInt64: ObjectID] = [:]
    var objectSizes: [ObjectID: UInt32] = [:]
    var now: UInt64 = 0
    for _ in 0..<requests {
      let bound = UInt64(objects)
      let raw = min(
        random.next(below: bound), random.next(below: bound), random.next(below: bound))
      let id = known[raw] ?? ObjectID(known.count + 1)
      known[raw] = id
      let kind = random.next(below: 20)
      var operation: Operation =
        !hasOperations || kind < 14 ? .get : kind < 16 ? .set : kind < 17 ? .delete : .modify
      if hasExpiries, kind > 17 { operation = .expire }
      if objectSizes[id] == nil || operation == .set {
        objectSizes[id] = UInt32(random.next(below: sizeMax + 1))
      }
      now += random.next(below: 3) * 1_000_000
      ids.append(id)
      sizes.append(objectSizes[id] ?? 0)
      times.append(now)
      operations.append(operation.rawValue)
      ttls.append(random.next(below: 2) == 0 ? UInt32(1 + random.next(below: 60)) : 0)
      costs.append(Float(id % 7) / 2)
    }
    let memory = TraceMemory()
    let columns = RequestColumns(
      count: requests, objects: known.count, ids: memory.store(ids),
      sizes: hasSizes ? memory.store(sizes) : nil, times: isTimed ? memory.store(times) : nil,
      operations: hasOperations ? memory.store(operations) : nil,
      ttls: isTimed ? memory.store(ttls) : nil,
      costs: hasOperations ? memory.store(costs) : nil, owner: memory)
    return PreparedTrace(
      name: "random", requests: columns, footprint: Footprint(of: columns, all: 0))
  }
}

private final class TraceMemory {
  private var allocations: [UnsafeMutableRawPointer] = []

  func store<Value: BitwiseCopyable>(_ values: [Value]) -> UnsafePointer<Value> {
    let buffer = UnsafeMutablePointer<Value>.allocate(capacity: max(values.count, 1))
    buffer.initialize(from: values, count: values.count)
    allocations.append(UnsafeMutableRawPointer(buffer))
    return UnsafePointer(buffer)
  }

  deinit {
    for allocation in allocations { allocation.deallocate() }
  }
}
