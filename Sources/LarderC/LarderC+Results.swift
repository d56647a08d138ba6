import CLarder
import Foundation
import LarderEngine
import LarderExperiments
import LarderHarness
import LarderPolicies
import LarderReports
import LarderTraces

extension LarderC {
  /// Calls `body`, which computes a result from a trace, and passes its text to the caller.
  static func compute(
    _ trace: UInt64, _ options: CText, known: [Parameter], _ task: UInt64, _ result: CResult,
    _ error: CResult, _ body: (PreparedTrace, ParameterReader, TaskState) throws -> String
  ) -> larder_status {
    give(result, error) {
      try body(try self.trace(trace), try self.options(options, known), try self.task(task))
    }
  }

  /// Passes the text that `body` returns to the caller.
  static func give(
    _ result: CResult, _ error: CResult, _ body: () throws -> String
  ) -> larder_status {
    result?.pointee = nil
    return call(error) {
      _ = try required(result, "result")
      try give(try body(), to: result)
    }
  }

  /// Options in the form that C programs pass: lines of `name=value`, or `name` for a flag.
  static func options(_ text: CText, _ known: [Parameter]) throws -> ParameterReader {
    var values: [String: String] = [:]
    for line in (try optionalText(text, "options") ?? "").split(separator: "\n") {
      let words = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(words[0].trimmed)
      let value = words.count > 1 ? String(words[1].trimmed) : "true"
      guard values.updateValue(value, forKey: name) == nil else {
        throw CallError.option(name, "is given twice")
      }
    }
    return try ParameterReader(ComponentSpec(name: "", values: values), parameters: known)
  }

  static func json(_ value: Any) throws -> String {
    let data = try JSONSerialization.data(
      withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self)
  }

  static func threads(_ options: ParameterReader) throws(ComponentError) -> Int {
    options.text("threads") == nil
      ? ProcessInfo.processInfo.activeProcessorCount : try options.whole("threads")
  }
}

/// `larder_simulate` of `larder.h`.
@_cdecl("larder_simulate")
public func larderSimulate(
  _ trace: UInt64, _ options: CText, _ task: UInt64, _ csv: CResult, _ error: CResult
) -> Int32 {
  LarderC.compute(trace, options, known: Workload.simulationOptions, task, csv, error) {
    trace, options, task in
    let threads = try LarderC.threads(options)
    let policies = try PolicySpec.checkedList(parsing: SimulateCall.text("policy", options))
    let trace =
      policies.contains(where: PolicyRegistry.needsFuture) ? try trace.withNextUses() : trace
    let workload = try SimulateCall.workload(over: trace, policies: policies, options)
    let cells = try SimulateCall.cells(of: workload, over: trace)
    let sweep = Sweep(cells: cells, traces: TraceTable(trace), threads: threads)
    task.begin(total: sweep.totalRequests)
    let records = try sweep.run(
      cancellation: task.cancellation, observer: Sweep.Observer(replayed: { task.advance($0) }))
    if records.count < cells.count { throw CallError.cancelled }
    return SimulateCall.csv(records)
  }
}

/// `larder_mrc` of `larder.h`.
@_cdecl("larder_mrc")
public func larderMRC(
  _ trace: UInt64, _ options: CText, _ task: UInt64, _ csv: CResult, _ error: CResult
) -> Int32 {
  LarderC.compute(trace, options, known: CurveSettings.options, task, csv, error) {
    trace, options, task in
    let settings = try CurveSettings(options, threads: try LarderC.threads(options))
    if settings.rate != nil, settings.method == .exact {
      throw options.refusal("sample", "requires the method shards, miniature or auto")
    }
    var maker = try CurveMaker(trace: trace, settings: settings, cancellation: task.cancellation)
    maker.began = { _, requests in task.begin(total: requests) }
    maker.replayed = { task.advance($0) }
    return CurveCSV.text(of: [try maker.make()])
  }
}

/// `larder_advise` of `larder.h`.
@_cdecl("larder_advise")
public func larderAdvise(
  _ trace: UInt64, _ options: CText, _ task: UInt64, _ json: CResult, _ text: CResult,
  _ html: CResult, _ error: CResult
) -> Int32 {
  for place in [text, html] { place?.pointee = nil }
  return LarderC.compute(trace, options, known: AdviceSettings.options, task, json, error) {
    trace, options, task in
    var settings = AdviceSettings(threads: try LarderC.threads(options))
    try settings.apply(options)
    if let path = options.text("prices") {
      settings.prices = try Prices(yaml: try InputFile.bytes(path), file: path)
    }
    var advisor = try Advisor(trace: trace, settings: settings, cancellation: task.cancellation)
    advisor.began = { _, requests in task.begin(total: requests) }
    advisor.replayed = { task.advance($0) }
    let advice = try advisor.make()
    let json = try AdviceReport.json(advice)
    if text != nil { try LarderC.give(AdviceText.text(of: advice, width: 80), to: text) }
    if html != nil { try LarderC.give(AdviceReport.card(advice), to: html) }
    return json
  }
}

/// `larder_policies` of `larder.h`.
@_cdecl("larder_policies")
public func larderPolicies(_ json: CResult, _ error: CResult) -> Int32 {
  LarderC.give(json, error) {
    let entries = PolicyRegistry.everything.map { policy in
      let description = policy.description
      let parameters = description.parameters.map {
        ["name": $0.name, "default": $0.defaultValue, "summary": $0.summary]
      }
      return [
        "name": description.name, "family": description.family.rawValue,
        "summary": description.summary, "parameters": parameters,
        "needs": description.needs.names, "random": description.isRandom,
        "bound": policy.isBound, "paper": description.paper,
      ] as [String: Any]
    }
    return try LarderC.json(entries)
  }
}

enum SimulateCall {
  static func text(_ name: String, _ options: ParameterReader) throws(CallError) -> String {
    guard let value = options.text(name) else { throw .option(name, "is missing") }
    return value
  }

  static func workload(
    over trace: PreparedTrace, policies: [PolicySpec], _ options: ParameterReader
  ) throws -> Workload {
    _ = try text("capacity", options)
    var workload = Workload(
      name: "simulate", source: .trace(TraceReference(path: trace.name)))
    workload.unit = try options.capacityUnit()
    workload.configurations = try Workload.configurations(options)
    (workload.policies, workload.capacities) = (policies, try options.capacities())
    workload.seeds = [try options.seed() ?? 1]
    return workload
  }

  static func cells(of workload: Workload, over trace: PreparedTrace) throws -> [PlannedCell] {
    let cells = try Plan.cells(of: workload, facts: [TraceFacts(trace)])
    try Plan.check(cells, of: workload, over: TraceTable(trace))
    return cells
  }

  static func csv(_ records: [Record]) -> String {
    records.reduce(into: CountsCSV.header) { $0 += CountsCSV.row($1) }
  }
}
