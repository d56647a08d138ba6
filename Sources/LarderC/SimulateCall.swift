import LarderEngine
import LarderHarness
import LarderReports
import LarderSimulation
import LarderTraces
import LarderWorkloads

/// `larder simulate` over a trace that is in memory.
struct SimulateCall {
  /// The options of the command that it has.
  static let options: Set<String> = [
    "policy", "capacity", "admission", "ignore-size", "fetch", "bandwidth", "servers",
    "no-coalescing", "seed", "threads",
  ]

  private let trace: PreparedTrace
  private let task: TaskState
  private let workload: Workload
  private let threads: Int

  /// A simulation of what the options say.
  ///
  /// - Throws: `CallError`, `PolicyError` and `CapacityError` for options.
  init(trace: PreparedTrace, options: CallOptions, task: TaskState) throws {
    self.task = task
    threads = try options.threads()
    workload = try Self.workload(
      over: trace, policies: try CallOptions.policies(try options.required("policy")), options)
    let needsFuture = workload.policies.contains(where: PolicyRegistry.needsFuture)
    self.trace = needsFuture ? try trace.withNextUses() : trace
  }

  /// A workload of one trace and one tier in memory.
  static func workload(
    over trace: PreparedTrace, policies: [PolicySpec], _ options: CallOptions
  ) throws -> Workload {
    let seed: UInt64 = try options.integer("seed", in: 0...UInt64.max) ?? 1
    return Workload(
      name: "simulate", source: .trace(TraceReference(path: trace.name)),
      unit: try options.flag("ignore-size") ? .objects : nil,
      configurations: try configurations(options), policies: policies,
      capacities: try CapacitySpec.list(parsing: try options.required("capacity")),
      seeds: [seed])
  }

  /// Memory, once for each filter.
  private static func configurations(_ options: CallOptions) throws -> [ConfigurationSpec] {
    var memory = ConfigurationSpec(name: ConfigurationKind.memory.rawValue, kind: .memory)
    memory.time = try fetches(options)
    guard let admission = options["admission"] else { return [memory] }
    return try admission.split(separator: ",", omittingEmptySubsequences: false).map { text in
      let spec = try PolicySpec(parsing: text.trimmingCharacters(in: .whitespaces))
      try AdmissionRegistry.validate(spec)
      return memory.guarded(by: spec)
    }
  }

  private static func fetches(_ options: CallOptions) throws(CallError) -> FetchSpec? {
    let noCoalescing = try options.flag("no-coalescing")
    guard let fetch = options["fetch"] else {
      if let name = ["bandwidth", "servers", "no-coalescing"].first(where: { options[$0] != nil }) {
        throw .option(name, "needs the option 'fetch'")
      }
      return nil
    }
    guard var spec = FetchSpec.fetch(parsing: fetch) else {
      throw .option("fetch", "expected a time such as 100ms, or 1000requests, found '\(fetch)'")
    }
    if let bandwidth = options["bandwidth"] {
      guard let bytes = FetchSpec.bandwidth(parsing: bandwidth) else {
        throw .option(
          "bandwidth", "expected bytes per second, such as 100MB/s, found '\(bandwidth)'")
      }
      spec.bytesPerSecond = bytes
    }
    spec.servers = try options.integer("servers", in: 1...FetchModel.serversMax)
    spec.coalesces = !noCoalescing
    return spec
  }

  /// The counts of all cells.
  ///
  /// - Throws: `CallError.cancelled`, and what planning and simulating throw.
  func csv() throws -> String {
    let cells = try Self.cells(of: workload, over: trace)
    let sweep = Sweep(cells: cells, traces: TraceTable(trace), threads: threads)
    task.begin(total: sweep.totalRequests)
    let records = try sweep.run(
      cancellation: task.cancellation,
      observer: Sweep.Observer(replayed: { task.advance($0) }))
    if records.count < cells.count { throw CallError.cancelled }
    return Self.csv(records)
  }

  /// The cells of a workload over one trace.
  static func cells(of workload: Workload, over trace: PreparedTrace) throws -> [PlannedCell] {
    let cells = try Plan.cells(of: workload, facts: [TraceFacts(trace)])
    try Plan.check(cells, of: workload, over: TraceTable(trace))
    return cells
  }

  /// Records as counts.csv has them.
  static func csv(_ records: [Record]) -> String {
    records.reduce(into: CountsCSV.header) { $0 += CountsCSV.row($1) }
  }
}
