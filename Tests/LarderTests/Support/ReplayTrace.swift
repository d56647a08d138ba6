import LarderEngine

/// A random trace for replay by a simulation and by a cache.
final class ReplayTrace: Sendable {
  struct Line: Sendable {
    var operation: LarderEngine.Operation
    var id: ObjectID
    var size: UInt32
    var seconds: UInt32
    /// 0 for no TTL.
    var timeToLive: UInt32
    var cost: Float
  }

  let lines: [Line]
  let objects: Int

  /// Requests for `objects` objects, with a skewed distribution. An object's size and cost stay the
  /// same until a set changes the size. Up to `stepSeconds` pass between requests.
  init(
    requests: Int, objects: Int, sizeMax: Int, isTimed: Bool, stepSeconds: Int = 2, seed: UInt64
  ) {
    var random = TestRandom(seed: seed)
    var ids: [Int: ObjectID] = [:]
    var sizes: [ObjectID: UInt32] = [:]
    var seconds: UInt32 = 0
    var lines: [Line] = []
    for _ in 0..<requests {
      let raw = min(random.below(objects), random.below(objects), random.below(objects))
      let id = ids[raw] ?? ObjectID(ids.count + 1)
      ids[raw] = id
      let operation: LarderEngine.Operation =
        switch random.below(20) {
        case 0...14: .get
        case 15...16: .set
        case 17: .delete
        case 18: .modify
        default: .expire
        }
      if sizes[id] == nil || operation == .set { sizes[id] = UInt32(random.below(sizeMax + 1)) }
      if isTimed { seconds += UInt32(random.below(stepSeconds + 1)) }
      lines.append(
        Line(
          operation: operation, id: id, size: sizes[id] ?? 1, seconds: seconds,
          timeToLive: isTimed && random.below(2) == 0 ? UInt32(1 + random.below(60)) : 0,
          cost: Float(id % 7) / 2))
    }
    self.lines = lines
    self.objects = ids.count
  }

  func columns() -> RequestColumns {
    let memory = ReplayColumns()
    return RequestColumns(
      count: lines.count, objects: objects, ids: memory.store(lines.map(\.id)),
      sizes: memory.store(lines.map(\.size)),
      times: memory.store(lines.map { UInt64($0.seconds) * 1_000_000 }),
      operations: memory.store(lines.map(\.operation.rawValue)),
      ttls: memory.store(lines.map(\.timeToLive)), costs: memory.store(lines.map(\.cost)),
      owner: memory)
  }
}

/// Keeps the columns of a trace at fixed addresses while they are read.
private final class ReplayColumns {
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
