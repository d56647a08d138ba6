import CLarder
import Foundation
import LarderEngine
import LarderExperiments
import LarderHarness
import LarderReports
import LarderTraces

extension LarderC {
  /// Calls `body`, which computes a result from a trace, and passes its text to the caller.
  static func compute(
    _ trace: UInt64, _ options: UnsafePointer<CChar>?, known: Set<String>, _ task: UInt64,
    _ result: Text?, _ error: Text?,
    _ body: (PreparedTrace, CallOptions, TaskState) throws -> String
  ) -> larder_status {
    result?.pointee = nil
    return call(error) {
      let place = try required(result, "result")
      let options = try CallOptions(try optionalText(options, "options"), known: known)
      try give(try body(try self.trace(trace), options, try self.task(task)), to: place)
    }
  }
}

/// `larder_simulate` of `larder.h`.
@_cdecl("larder_simulate")
public func larderSimulate(
  _ trace: UInt64, _ options: UnsafePointer<CChar>?, _ task: UInt64,
  _ csv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  LarderC.compute(trace, options, known: SimulateCall.options, task, csv, error) {
    try SimulateCall(trace: $0, options: $1, task: $2).csv()
  }
}

/// `larder_mrc` of `larder.h`.
@_cdecl("larder_mrc")
public func larderMRC(
  _ trace: UInt64, _ options: UnsafePointer<CChar>?, _ task: UInt64,
  _ csv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  LarderC.compute(trace, options, known: CurveCall.options, task, csv, error) {
    try CurveCall(trace: $0, options: $1, task: $2).csv()
  }
}

/// `larder_advise` of `larder.h`.
@_cdecl("larder_advise")
public func larderAdvise(
  _ trace: UInt64, _ options: UnsafePointer<CChar>?, _ task: UInt64,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ text: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ html: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  for place in [text, html] { place?.pointee = nil }
  return LarderC.compute(trace, options, known: AdviceCall.options, task, json, error) {
    let advice = try AdviceCall(trace: $0, options: $1, task: $2).advice()
    let json = try AdviceReport.json(advice)
    if let text { try LarderC.give(AdviceText.text(of: advice, width: 80), to: text) }
    if let html { try LarderC.give(AdviceReport.card(advice), to: html) }
    return json
  }
}

/// `larder_policies` of `larder.h`.
@_cdecl("larder_policies")
public func larderPolicies(
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  json?.pointee = nil
  return LarderC.call(error) {
    let place = try LarderC.required(json, "json")
    try LarderC.give(try PolicyEntry.list(), to: place)
  }
}

/// `larder simulate` over a trace in memory.
struct SimulateCall {
  /// The supported options of the command.
  static let options: Set<String> = [
    "policy", "capacity", "admission", "ignore-size", "fetch", "bandwidth", "servers",
    "no-coalescing", "seed", "threads",
  ]

  private let trace: PreparedTrace
  private let task: TaskState
  private let workload: Workload
  private let threads: Int

  /// A simulation with the given options.
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

  /// A memory configuration for each filter.
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
  /// - Throws: `CallError.cancelled`, and errors of planning and simulating.
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

  /// Records in the form of counts.csv.
  static func csv(_ records: [Record]) -> String {
    records.reduce(into: CountsCSV.header) { $0 += CountsCSV.row($1) }
  }
}

/// `larder mrc` over a trace in memory.
struct CurveCall {
  /// The supported options of the command.
  static let options: Set<String> = [
    "policy", "capacity", "points", "ignore-size", "method", "sample", "samples", "seed",
    "measure-error", "reach", "threads",
  ]

  private let trace: PreparedTrace
  private let task: TaskState
  private let settings: CurveSettings

  /// The curves that the options request.
  ///
  /// - Throws: `CallError`, `PolicyError` and `CapacityError` for options.
  init(trace: PreparedTrace, options: CallOptions, task: TaskState) throws {
    self.trace = trace
    self.task = task
    var settings = CurveSettings(
      policies: try CallOptions.policies(options["policy"] ?? "lru"),
      capacities: try options["capacity"].map { try CapacitySpec.list(parsing: $0) } ?? [],
      points: try options.integer("points", in: 2...10_000) ?? 50,
      unit: try options.flag("ignore-size") ? .objects : nil,
      method: try options.word("method", CurveMethod.self) ?? .auto,
      rate: try options.share("sample"), samples: try options.integer("samples", in: 1...1 << 30),
      seed: try options.integer("seed", in: 0...UInt64.max) ?? 1,
      measuresError: try options.flag("measure-error"), threads: try options.threads())
    if let reach = options["reach"] {
      guard let share = Share(parsing: reach) else {
        throw CallError.option("reach", "expected a share such as 90%, found '\(reach)'")
      }
      settings.share = share
    }
    if settings.samples != nil, settings.method != .shards {
      throw CallError.option("samples", "requires method=shards")
    }
    if settings.samples != nil, settings.rate != nil {
      throw CallError.option("samples", "excludes 'sample'; use one of them")
    }
    if settings.rate != nil, settings.method == .exact {
      throw CallError.option("sample", "requires method=shards, miniature or auto")
    }
    self.settings = settings
  }

  /// The curves as CSV.
  ///
  /// - Throws: the errors of `CurveMaker`.
  func csv() throws -> String {
    var maker = try CurveMaker(
      trace: trace, settings: settings, cancellation: task.cancellation)
    maker.began = { _, requests in task.begin(total: requests) }
    maker.replayed = { task.advance($0) }
    return CurveCSV.text(of: [try maker.make()])
  }
}

/// `larder advise` over a trace in memory.
struct AdviceCall {
  /// The supported options of the command.
  static let options: Set<String> = [
    "capacity", "tiers", "prices", "max-requests", "learn", "whole", "seed", "threads",
    "ignore-size", "policy", "prefix",
  ]

  private let trace: PreparedTrace
  private let task: TaskState
  private let settings: AdviceSettings

  /// The advice that the options request.
  ///
  /// - Throws: `CallError`, `CapacityError` and `AdviceError` for options.
  init(trace: PreparedTrace, options: CallOptions, task: TaskState) throws {
    self.trace = trace
    self.task = task
    var settings = AdviceSettings(
      capacities: try options["capacity"].map { try CapacitySpec.list(parsing: $0) } ?? [],
      unit: try options.flag("ignore-size") ? .objects : nil,
      tiers: try options.word("tiers", AdviceTiers.self) ?? .auto,
      seed: try options.integer("seed", in: 0...UInt64.max) ?? 1,
      threads: try options.threads())
    if let policies = options["policy"], policies != "all" {
      settings.policies = try CallOptions.policies(policies)
    }
    settings.prefix = try options.word("prefix", PromptOrder.self)
    if let learn = options["learn"] {
      guard let share = AdviseSpec.learned(learn) else {
        throw CallError.option(
          "learn", "expected a share above 0% and below 100%, found '\(learn)'")
      }
      settings.learned = share
    }
    if try options.flag("whole") {
      if options["learn"] != nil { throw CallError.option("whole", "excludes 'learn'") }
      settings.learned = nil
    }
    if let text = options["max-requests"] {
      guard let requests = Quantity.count(text), requests > 0 else {
        throw CallError.option(
          "max-requests", "expected a number above 0, such as 200M or 1e9, found '\(text)'")
      }
      settings.requestsMax = Double(requests)
    }
    if let path = options["prices"] {
      settings.prices = try Prices(yaml: try InputFile.bytes(path), file: path)
    }
    self.settings = settings
  }

  /// The advice.
  ///
  /// - Throws: the errors of `Advisor`.
  func advice() throws -> Advice {
    var advisor = try Advisor(
      trace: trace, settings: settings, cancellation: task.cancellation)
    advisor.began = { _, requests in task.begin(total: requests) }
    advisor.replayed = { task.advance($0) }
    return try advisor.make()
  }
}

/// A policy or bound in the list of `larder_policies`.
struct PolicyEntry: Encodable {
  private let name: String
  private let family: String
  private let summary: String
  private let parameters: [Parameter]
  private let needs: [String]
  private let random: Bool
  private let bound: Bool
  private let paper: String

  /// A parameter with its default.
  private struct Parameter: Encodable {
    let name: String
    let `default`: String
    let summary: String
  }

  private init(_ policy: RegisteredPolicy) {
    let description = policy.description
    name = description.name
    family = description.family.rawValue
    summary = description.summary
    parameters = description.parameters.map {
      Parameter(name: $0.name, default: $0.defaultValue, summary: $0.summary)
    }
    needs = description.needs.names
    random = description.isRandom
    bound = policy.isBound
    paper = description.paper
  }

  /// All of them as JSON.
  static func list() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let entries = PolicyRegistry.everything.map(PolicyEntry.init)
    return String(decoding: try encoder.encode(entries), as: UTF8.self)
  }
}
