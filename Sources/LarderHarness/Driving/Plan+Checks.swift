import Larder
import LarderEngine
import LarderExperiments
import LarderPolicies
import LarderSupport
import LarderTraces

extension Plan {
  /// Checks requirements that depend on the traces or on this build before the first cell is run:
  /// times for a load that follows them, costs that serve as the origin's times, traces for which
  /// the requested bounds are bounds, memory for the values of executed cells, and encryption where
  /// an executed cell encrypts.
  ///
  /// - Throws: `PlanError` for the first requirement that does not hold.
  package static func check(
    _ cells: [PlannedCell], of workload: Workload, over traces: TraceTable
  ) throws(PlanError) {
    try check(cells, of: workload, over: traces, memory: .machine)
  }

  static func check(
    _ cells: [PlannedCell], of workload: Workload, over traces: TraceTable,
    memory: MemoryBudget, canEncrypt: Bool = DiskEncryption.isAvailable
  ) throws(PlanError) {
    for planned in cells where planned.isExecuted && !canEncrypt && planned.encrypts {
      throw PlanError(
        of: planned.cell.configuration,
        " uses encryption, and this program is built without it: build it with the trait "
          + "Encryption ('make build TRAITS=Tools,Encryption'), or only 'mode: simulate'")
    }
    if case .trace = workload.execution?.load, cells.contains(where: \.isExecuted) {
      for trace in traces.all where trace.requests.times == nil {
        throw PlanError(
          "'\(trace.name)' has no times, so 'execute' cannot use them: set a rate in 'load', or "
            + "remove it for a closed loop")
      }
    }
    if workload.latency?.isOriginFromTrace ?? false {
      for trace in traces.all where trace.requests.costs == nil {
        throw PlanError(
          "'\(trace.name)' has no costs, so 'origin: from-trace' has no latencies: write a time, "
            + "such as 80ms, or read the costs ('larder list formats' lists the options)")
      }
    }
    // A cache with its own policy is not simulated, and its policy is unknown here.
    for planned in cells where planned.isSimulated {
      guard let trace = traces[planned.cell] else { continue }
      // Caches of articles have lifetimes in any case.
      if !traces.all.contains(where: { $0.requests.times != nil }), planned.preset == nil,
        planned.setup.tiers.contains(where: { $0.timeToLiveSeconds != nil })
      {
        throw PlanError(
          of: planned.cell.configuration,
          ": '\(trace.name)' has no times, so nothing is older than 'ttl': remove it, or give a "
            + "generator a 'rate'")
      }
      try checkTime(of: planned, over: trace)
      if planned.prefix != nil, trace.prompts == nil {
        throw PlanError(
          of: planned.cell.configuration,
          ": '\(planned.cell.trace)' has no prompts (a sample has none), so prefixes cannot be "
            + "counted: remove 'prefix', or use the format hash-ids or the generator llm-prefix")
      }
      do {
        try PolicyRegistry.checkBound(in: planned.setup, over: trace.requests)
      } catch {
        throw PlanError(of: planned.cell.configuration, ": \(error)")
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
        let label = planned.cell.capacityLabel
        throw PlanError(
          of: planned.cell.configuration, capacity: label,
          " at \(label) on '\(name)': executing it needs \(NumberText.bytes(need)) of memory "
            + "for values, only \(NumberText.bytes(available)) are available: choose smaller "
            + "capacities or values, or only 'mode: simulate'")
      }
    }
  }

  private static func checkTime(
    of planned: PlannedCell, over trace: PreparedTrace
  ) throws(PlanError) {
    guard let time = planned.setup.time else { return }
    let cell = planned.cell
    if time.clock == .trace, trace.requests.times == nil {
      throw PlanError(
        of: cell.configuration,
        ": '\(cell.trace)' has no times, so 'fetch' cannot be a duration: write a number of "
          + "requests, such as 'fetch: 1000 requests'")
    }
    if time.bytesPerSecond != nil, trace.requests.sizes == nil {
      throw PlanError(
        of: cell.configuration,
        ": '\(cell.trace)' has no sizes, so 'bandwidth' does not apply: remove it")
    }
  }
}

extension PlannedCell {
  /// True if its preset encrypts. A simulation counts the same either way.
  fileprivate var encrypts: Bool { preset.flatMap { CachePreset.named($0) }?.isEncrypted ?? false }
}

/// The memory for values when cells are executed over a trace, estimated before anything runs: a
/// simulation has sizes and no values, so a trace that it replays in megabytes may need terabytes
/// in a real cache.
struct ExecutionMemory {
  private let objects: UInt64
  private let footprintBytes: UInt64
  private let largestBytes: UInt64

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
