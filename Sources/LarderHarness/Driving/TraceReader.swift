import LarderEngine
import LarderExperiments
import Synchronization

/// Reads requests from a trace, of which some columns may be missing, like a simulation does, and
/// additionally the bytes of a real value.
///
/// Holds unowned pointers: the owner must keep the trace alive.
struct TraceReader: @unchecked Sendable {
  private let ids: UnsafePointer<ObjectID>
  private let sizes: UnsafePointer<UInt32>?
  private let times: UnsafePointer<UInt64>?
  private let operations: UnsafePointer<UInt8>?
  private let ttls: UnsafePointer<UInt32>?
  private let costs: UnsafePointer<Float>?
  private let countsBytes: Bool
  private let valueBytes: UInt32
  let count: Int
  let objects: Int

  /// A reader; values have `valueBytes` bytes if the trace has no sizes.
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

  var hasOperations: Bool { operations != nil }
  var hasTimes: Bool { times != nil }
  var hasCosts: Bool { costs != nil }
  var hasSizes: Bool { sizes != nil }

  @inline(__always) func id(_ index: Int) -> ObjectID { ids[index] }

  @inline(__always) func operation(_ index: Int) -> Operation {
    guard let raw = operations?[index] else { return .get }
    return Operation(rawValue: raw) ?? .get
  }

  /// Microseconds.
  @inline(__always) func time(_ index: Int) -> UInt64 { times?[index] ?? 0 }

  @inline(__always) func bytes(_ index: Int) -> Int { Int(sizes?[index] ?? valueBytes) }

  @inline(__always) func weight(_ index: Int) -> UInt32 { countsBytes ? sizes?[index] ?? 1 : 1 }

  @inline(__always) func cost(_ index: Int) -> Float { costs?[index] ?? 1 }

  @inline(__always) func options(_ index: Int) -> CacheWriteOptions {
    CacheWriteOptions(
      timeToLiveMicroseconds: UInt64(ttls?[index] ?? 0) * 1_000_000,
      fetchCost: cost(index), weight: weight(index))
  }

  /// True if a value may be empty. O(requests) if the trace has sizes.
  func hasEmptyValues() -> Bool {
    guard let sizes else { return valueBytes == 0 }
    return (0..<count).contains { sizes[$0] == 0 }
  }

  @inline(__always) static func key(_ id: ObjectID) -> UInt64 { id.spread }
}

/// Distributes the requests of a part of the trace: each free thread takes the next block. A
/// delayed thread makes fewer requests, and no request is made twice or left out.
final class RequestDealer: Sendable {
  private let next: Atomic<Int>
  private let end: Int
  private let block: Int
  private let stopped = Atomic(false)

  init(_ range: Range<Int>, block: Int) {
    next = Atomic(range.lowerBound)
    end = range.upperBound
    self.block = block
  }

  func take() -> Range<Int>? {
    guard !stopped.load(ordering: .relaxed) else { return nil }
    let start = next.wrappingAdd(block, ordering: .relaxed).oldValue
    guard start < end else { return nil }
    return start..<min(start + block, end)
  }

  func stop() { stopped.store(true, ordering: .relaxed) }

  var isStopped: Bool { stopped.load(ordering: .relaxed) }
}

struct LoadPace: Sendable {
  private enum Rule: Sendable {
    case trace(TraceReader, nanosecondsPerMicrosecond: Double)
    case rate(nanosecondsPerRequest: Double)
  }

  private let rule: Rule
  private let first: Int
  private let start: UInt64

  /// A pace whose request `first` is due at `start`; nil for a closed loop.
  ///
  /// - Throws: `ExecutionError.load` if the trace lacks the times that the load follows.
  init?(
    _ load: ExecutionSpec.Load, _ reader: TraceReader, first: Int, start: UInt64
  ) throws(ExecutionError) {
    switch load {
    case .closed:
      return nil
    case .trace(let speed):
      guard reader.hasTimes else {
        throw .load("the trace has no times: set a rate, or use a closed loop")
      }
      guard speed > 0, speed.isFinite else {
        throw .load("invalid speed \(speed): expected a number above 0")
      }
      rule = .trace(reader, nanosecondsPerMicrosecond: 1000 / speed)
    case .rate(let perSecond):
      guard perSecond > 0, perSecond.isFinite else {
        throw .load("invalid rate \(perSecond): expected a number above 0")
      }
      rule = .rate(nanosecondsPerRequest: 1e9 / perSecond)
    }
    self.first = first
    self.start = start
  }

  func due(_ index: Int) -> UInt64 {
    let after: Double
    switch rule {
    case .trace(let reader, let nanosecondsPerMicrosecond):
      after = Double(reader.time(index) - reader.time(first)) * nanosecondsPerMicrosecond
    case .rate(let nanosecondsPerRequest):
      after = Double(index - first) * nanosecondsPerRequest
    }
    return start &+ UInt64(min(after, 1e18))
  }
}

/// The latency of the origin for each fetch in nanoseconds: derived from the request's index in the
/// trace, so that it is equal for every cache and any number of threads.
struct OriginLatency: Sendable {
  // Equally likely times.
  private let times: [Double]
  private let nanosecondsPerByte: Double
  private let seed: UInt64
  private let isFromTrace: Bool

  private static var limit: Int { 1 << 14 }

  /// Draws from a latency model. The part per byte is charged for the bytes that are really
  /// fetched, whatever the capacity counts.
  init(_ model: LatencyModel, seed: UInt64) {
    let latency = model.origin
    isFromTrace = model.isOriginFromTrace
    times = latency.base.grid(limit: Self.limit)
    nanosecondsPerByte = latency.nanosecondsPerByte
    self.seed = seed
  }

  func nanoseconds(request index: Int, bytes: Int, milliseconds: Float) -> UInt64 {
    if isFromTrace { return milliseconds > 0 ? UInt64(min(Double(milliseconds) * 1e6, 1e18)) : 0 }
    let draw = SplitMix64.number(UInt64(truncatingIfNeeded: index), seed: seed)
    let place = Int(draw.multipliedFullWidth(by: UInt64(times.count)).high)
    let total = times[place] + nanosecondsPerByte * Double(bytes)
    return UInt64(min(max(total, 0), 1e18))
  }
}
