import LarderEngine
import LarderTraces

/// The memory that executing cells over a trace takes for values alone, told before anything runs:
/// a simulation has sizes and no values, so a trace that it replays in megabytes may ask a real
/// cache for terabytes.
struct ExecutionMemory {
  private let objects: UInt64
  private let footprintBytes: UInt64
  private let largestBytes: UInt64

  /// The sizes of a trace's values. O(requests) where the trace has sizes.
  init(_ trace: PreparedTrace, valueBytes: UInt32) {
    let requests = trace.requests
    objects = UInt64(requests.objects)
    if let sizes = requests.sizes {
      footprintBytes = trace.footprintBytes
      largestBytes = UInt64(
        UnsafeBufferPointer(start: sizes, count: requests.count).reduce(0) { max($0, $1) })
    } else {
      footprintBytes = objects * UInt64(valueBytes)
      largestBytes = UInt64(valueBytes)
    }
  }

  /// Bytes that a cell needs at least: what its memory holds when it is full, and one value twice,
  /// as the harness makes it and as the cache keeps or writes it.
  func need(of cell: SimulationSetup) -> UInt64 {
    let (sum, overflow) = held(cell).addingReportingOverflow(2 * largestBytes)
    return overflow ? .max : sum
  }

  private func held(_ cell: SimulationSetup) -> UInt64 {
    let tier: TierSetup
    switch cell.arrangement {
    case .memory(let memory), .hybrid(let memory, _, _): tier = memory
    case .disk: return 0
    }
    if cell.unit == .bytes { return min(tier.capacity, footprintBytes) }
    let count = min(tier.capacity, tier.objectsMax ?? .max, objects)
    guard count < objects else { return footprintBytes }
    // Of the mean size.
    let product = count.multipliedFullWidth(by: footprintBytes)
    return objects.dividingFullWidth(product).quotient
  }
}
