import CLarder
import LarderContracts
import LarderEngine
import LarderExperiments
import LarderTraces

extension LarderC {
  static func callbacks(
    _ policy: UnsafePointer<larder_policy>?, _ name: CText, asksContains: Bool
  ) throws(CallError) -> Callbacks {
    let name = try text(name, "name")
    guard !name.isEmpty, !name.contains(where: { $0.isNewline || $0 == "," }) else {
      throw .policy(name, "expected a name of one non-empty line without commas")
    }
    return try Callbacks(
      try required(policy, "policy").pointee, name: name, asksContains: asksContains)
  }
}

/// `larder_policy_simulate` of `larder.h`.
@_cdecl("larder_policy_simulate")
public func larderPolicySimulate(
  _ trace: UInt64, _ policy: UnsafePointer<larder_policy>?, _ name: CText, _ options: CText,
  _ task: UInt64, _ csv: CResult, _ error: CResult
) -> Int32 {
  LarderC.compute(trace, options, known: PolicyCall.options, task, csv, error) {
    let callbacks = try LarderC.callbacks(policy, name, asksContains: false)
    return try PolicyCall(trace: $0, callbacks: callbacks, options: $1, task: $2).csv()
  }
}

/// `larder_policy_check` of `larder.h`.
@_cdecl("larder_policy_check")
public func larderPolicyCheck(
  _ policy: UnsafePointer<larder_policy>?, _ name: CText, _ options: CText, _ error: CResult
) -> Int32 {
  LarderC.call(error) {
    let options = try LarderC.options(options, PolicyCall.checkOptions)
    try PolicyCall.check(
      try LarderC.callbacks(policy, name, asksContains: true), options)
  }
}

/// `larder simulate` with a caller's policy, one cell after another.
struct PolicyCall {
  static let options: [Parameter] = [.capacity, .ignoreSize, .admission, .seed]
  static let checkOptions = [
    Parameter("random", .flag, default: "false", "The policy draws random numbers."),
    Parameter("learns", .flag, default: "false", "The policy learns from requests."),
  ]

  private let trace: PreparedTrace
  private let task: TaskState
  private let callbacks: Callbacks
  private let cells: [PlannedCell]

  private static let chunk = 1 << 16

  init(
    trace: PreparedTrace, callbacks: Callbacks, options: ParameterReader, task: TaskState
  ) throws {
    self.trace = trace
    self.task = task
    self.callbacks = callbacks
    // A policy of the registry represents the caller's while capacities and filters are resolved.
    let workload = try SimulateCall.workload(
      over: trace, policies: [try PolicySpec(parsing: "fifo")], options)
    cells = try SimulateCall.cells(of: workload, over: trace)
    for cell in cells {
      guard case .memory(let tier) = cell.setup.arrangement, let filter = tier.admission,
        AdmissionRegistry.description(of: filter)?.comparesVictims ?? false
      else { continue }
      throw PolicyError.noVictim(admission: filter.name, policy: callbacks.name)
    }
  }

  func csv() throws -> String {
    task.begin(total: cells.count * trace.requests.count)
    let records = try callbacks.withSpec { spec in try cells.map { try record($0, spec) } }
    return SimulateCall.csv(records)
  }

  private func record(_ planned: PlannedCell, _ spec: PolicySpec) throws -> Record {
    guard case .memory(var tier) = planned.setup.arrangement else {
      throw CallError.policy(callbacks.name, "only memory can be simulated")
    }
    tier.policy = spec
    var cell = planned.cell
    cell.policy = callbacks.name
    return Record(
      cell: cell,
      counts: isPlain(tier)
        ? try replayed(planned.setup, tier) : try simulated(planned.setup, tier),
      objectsDistinct: UInt64(trace.requests.objects))
  }

  private func isPlain(_ tier: TierSetup) -> Bool {
    let requests = trace.requests
    return callbacks.replays && requests.operations == nil && requests.ttls == nil
      && requests.costs == nil && tier.admission == nil
  }

  private func simulated(_ setup: SimulationSetup, _ tier: TierSetup) throws -> Counts {
    let simulation = try RegisteredPolicy(CallbackPolicy.self).makeSimulation(
      tier, unit: setup.unit, seed: setup.seed, over: trace.requests)
    try inChunks { range in
      simulation.run(upTo: range.upperBound, untilFirstEviction: false)
    }
    return simulation.counts
  }

  private func replayed(_ setup: SimulationSetup, _ tier: TierSetup) throws -> Counts {
    let instance = CallbackInstance(
      callbacks,
      PolicySetup(
        capacity: tier.capacity, unit: setup.unit, objects: 0, seed: setup.seed,
        spec: tier.policy))
    let requests = trace.requests
    let sizes = setup.unit == .bytes ? requests.sizes : nil
    var gets = larder_gets()
    try inChunks { range in
      instance.replay(
        requests.ids + range.lowerBound, sizes.map { $0 + range.lowerBound }, range.count, &gets)
    }
    var counts = Counts()
    counts.requests = UInt64(requests.count)
    for index in 0..<requests.count { counts.bytesRequested &+= UInt64(sizes?[index] ?? 1) }
    (counts.memoryHits, counts.memoryBytesHit) = (gets.hits, gets.bytes_hit)
    counts.memory.rejections = gets.rejections
    counts.memory.evictions = gets.evictions
    counts.memory.bytesWritten = gets.bytes_written
    // Counts of the caller are validated.
    if let fault = counts.fault { throw CallError.policy(callbacks.name, "counted \(fault)") }
    guard gets.rejections <= counts.misses, gets.evictions <= counts.misses - gets.rejections else {
      throw CallError.policy(callbacks.name, "counted more evictions and rejections than misses")
    }
    counts.memory.admissions = counts.misses - gets.rejections
    return counts
  }

  private func inChunks(_ body: (Range<Int>) -> Void) throws {
    var start = 0
    while start < trace.requests.count {
      try task.check()
      let range = start..<min(start + Self.chunk, trace.requests.count)
      body(range)
      if let failure = callbacks.failure { throw failure }
      task.advance(range.count)
      start = range.upperBound
    }
  }

  static func check(_ callbacks: Callbacks, _ options: ParameterReader) throws {
    var rules = PolicyContract.Rule.allCases
    if try options.flag("random") == true { rules.removeAll { $0 == .seed } }
    if try options.flag("learns") == true { rules.removeAll { $0 == .removal } }
    try callbacks.withSpec { spec in
      let found = PolicyContract.violations(
        of: RegisteredPolicy(CallbackPolicy.self),
        parameters: [String(spec.description.drop { $0 != ":" }.dropFirst())], rules: rules)
      if let failure = callbacks.failure { throw failure }
      guard let first = found.first else { return }
      let text = "\(first)".replacing(spec.description, with: callbacks.name)
      throw CallError.contract(text)
    }
  }
}
