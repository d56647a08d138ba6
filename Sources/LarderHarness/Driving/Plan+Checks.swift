import Larder
import LarderEngine
import LarderExperiments
import LarderPolicies
import LarderTraces

extension Plan {
  /// Checks requirements that depend on the traces or on this build before the first cell is run:
  /// times for a load that follows them, costs that serve as the origin's times, traces for which
  /// the requested bounds are bounds, memory for the values of executed cells, and encryption where
  /// an executed cell encrypts.
  ///
  /// - Throws: `PlanError.noTimes`, `PlanError.noCosts`, `PlanError.bound`, `PlanError.memory` or
  ///   `PlanError.noEncryption`.
  package static func check(
    _ cells: [PlannedCell], of workload: Workload, over traces: TraceTable
  ) throws(PlanError) {
    try check(cells, of: workload, over: traces, memory: .machine)
  }

  /// Checks the plan with a given budget of memory, and with or without encryption.
  static func check(
    _ cells: [PlannedCell], of workload: Workload, over traces: TraceTable,
    memory: MemoryBudget, canEncrypt: Bool = DiskEncryption.isAvailable
  ) throws(PlanError) {
    for planned in cells where planned.isExecuted && !canEncrypt && planned.encrypts {
      throw .noEncryption(configuration: planned.cell.configuration)
    }
    if case .trace = workload.execution?.load, cells.contains(where: \.isExecuted) {
      for trace in traces.all where trace.requests.times == nil {
        throw .noTimes(trace: trace.name)
      }
    }
    if workload.latency?.isOriginFromTrace ?? false {
      for trace in traces.all where trace.requests.costs == nil {
        throw .noCosts(trace: trace.name)
      }
    }
    // A cache with its own policy is not simulated, and its policy is unknown here.
    for planned in cells where planned.isSimulated {
      guard let trace = traces[planned.cell] else { continue }
      try checkTime(of: planned, over: trace)
      if planned.prefix != nil, trace.prompts == nil {
        throw .noPrompts(configuration: planned.cell.configuration, trace: planned.cell.trace)
      }
      do {
        try PolicyRegistry.checkBound(in: planned.setup, over: trace.requests)
      } catch {
        throw .bound(error, configuration: planned.cell.configuration)
      }
    }
    let executed = cells.filter(\.isExecuted)
    guard !executed.isEmpty else { return }
    let valueBytes = (workload.execution ?? ExecutionSpec()).valueBytes
    let available = memory.available()
    for name in Set(executed.map(\.cell.trace)).sorted() {
      let own = executed.filter { $0.cell.trace == name }
      guard let trace = own.first.flatMap({ traces[$0.cell] }) else { continue }
      let memory = ExecutionMemory(trace, valueBytes: valueBytes)
      for planned in own {
        let need = memory.need(of: planned.setup)
        guard need > available else { continue }
        throw .memory(
          configuration: planned.cell.configuration, capacity: planned.cell.capacityLabel,
          trace: name, needBytes: need, availableBytes: available)
      }
    }
  }

  /// Rejects fetches whose time or bytes are not in the trace.
  private static func checkTime(
    of planned: PlannedCell, over trace: PreparedTrace
  ) throws(PlanError) {
    guard let time = planned.setup.time else { return }
    let cell = planned.cell
    if time.clock == .trace, trace.requests.times == nil {
      throw .noTimesForFetches(configuration: cell.configuration, trace: cell.trace)
    }
    if time.bytesPerSecond != nil, trace.requests.sizes == nil {
      throw .noSizesForFetches(configuration: cell.configuration, trace: cell.trace)
    }
  }
}

extension PlannedCell {
  /// True if its preset encrypts. A simulation counts the same either way.
  fileprivate var encrypts: Bool {
    preset.flatMap { CachePreset.named($0) }?.isEncrypted ?? false
  }
}

/// The memory for values when cells are executed over a trace, estimated before anything runs: a
/// simulation has sizes and no values, so a trace that it replays in megabytes may need terabytes
/// in a real cache.
struct ExecutionMemory {
  private let objects: UInt64
  private let footprintBytes: UInt64
  private let largestBytes: UInt64

  /// The sizes of a trace's values. O(requests) if the trace has sizes.
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

  /// The least memory of a cell in bytes: its full memory tier, and one value twice, once in the
  /// harness and once in the cache.
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
    // Values of mean size.
    let product = count.multipliedFullWidth(by: footprintBytes)
    return objects.dividingFullWidth(product).quotient
  }
}
