import LarderEngine

/// Reads requests from a trace of which some columns may be missing, as a simulation reads them,
/// with the bytes that a real value has beside the weight that a simulation knows.
///
/// Plain pointers: whoever has it keeps the trace.
struct TraceReader: @unchecked Sendable {
  private let ids: UnsafePointer<ObjectID>
  private let sizes: UnsafePointer<UInt32>?
  private let times: UnsafePointer<UInt64>?
  private let operations: UnsafePointer<UInt8>?
  private let ttls: UnsafePointer<UInt32>?
  private let costs: UnsafePointer<Float>?
  private let countsBytes: Bool
  private let valueBytes: UInt32
  /// Requests, and the largest id.
  let count: Int
  let objects: Int

  /// A reader; a value has `valueBytes` where the trace has no sizes.
  init(_ columns: RequestColumns, unit: CapacityUnit, valueBytes: UInt32) {
    ids = columns.ids
    sizes = columns.sizes
    times = columns.times
    operations = columns.operations
    ttls = columns.ttls
    costs = columns.costs
    count = columns.count
    objects = columns.objects
    countsBytes = unit == .bytes
    self.valueBytes = valueBytes
  }

  /// Whether there is anything but gets.
  var hasOperations: Bool { operations != nil }
  /// Whether requests have times.
  var hasTimes: Bool { times != nil }
  /// Whether requests have costs.
  var hasCosts: Bool { costs != nil }
  /// Whether values have sizes of their own.
  var hasSizes: Bool { sizes != nil }

  @inline(__always)
  func id(_ index: Int) -> ObjectID { ids[index] }

  @inline(__always)
  func operation(_ index: Int) -> Operation {
    guard let raw = operations?[index] else { return .get }
    return Operation(rawValue: raw) ?? .get
  }

  /// Microseconds.
  @inline(__always)
  func time(_ index: Int) -> UInt64 { times?[index] ?? 0 }

  /// The bytes of the value.
  @inline(__always)
  func bytes(_ index: Int) -> Int { Int(sizes?[index] ?? valueBytes) }

  /// What the value weighs against the capacity.
  @inline(__always)
  func weight(_ index: Int) -> UInt32 {
    countsBytes ? sizes?[index] ?? 1 : 1
  }

  /// What a fetch costs, 1 where the trace has no costs.
  @inline(__always)
  func cost(_ index: Int) -> Float { costs?[index] ?? 1 }

  /// What is said of the value when it is stored.
  @inline(__always)
  func options(_ index: Int) -> CacheWriteOptions {
    CacheWriteOptions(
      timeToLiveMicroseconds: UInt64(ttls?[index] ?? 0) * 1_000_000,
      fetchCost: cost(index), weight: weight(index))
  }

  /// Whether a value may be empty. O(requests) where the trace has sizes.
  func hasEmptyValues() -> Bool {
    guard let sizes else { return valueBytes == 0 }
    return (0..<count).contains { sizes[$0] == 0 }
  }

  /// The key of an object: see `ObjectID.spread`.
  @inline(__always)
  static func key(_ id: ObjectID) -> UInt64 { id.spread }
}
