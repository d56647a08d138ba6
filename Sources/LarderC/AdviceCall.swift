import Foundation
import LarderAdvice
import LarderEngine
import LarderReports
import LarderTraces
import LarderWorkloads

/// `larder advise` over a trace that is in memory.
struct AdviceCall {
  /// The options of the command that it has.
  static let options: Set<String> = [
    "capacity", "unit", "tiers", "prices", "time-budget", "learn", "whole", "seed", "threads",
    "ignore-size", "policy", "prefix",
  ]

  private let trace: PreparedTrace
  private let task: TaskState
  private let settings: AdviceSettings

  /// The advice that the options ask for.
  ///
  /// - Throws: `CallError`, `CapacityError` and `AdviceError` for options.
  init(trace: PreparedTrace, options: CallOptions, task: TaskState) throws {
    self.trace = trace
    self.task = task
    var settings = AdviceSettings(
      capacities: try options["capacity"].map { try CapacitySpec.list(parsing: $0) } ?? [],
      unit: try options.word("unit", CapacityUnit.self),
      tiers: try options.word("tiers", AdviceTiers.self) ?? .auto,
      seed: try options.integer("seed", in: 0...UInt64.max) ?? 1,
      threads: try options.threads())
    if try options.flag("ignore-size") {
      if settings.unit == .bytes {
        throw CallError.option("ignore-size", "excludes the unit bytes")
      }
      settings.unit = .objects
    }
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
    if let budget = options["time-budget"] {
      guard let seconds = AdviseSpec.budget(budget) else {
        throw CallError.option(
          "time-budget", "expected a time from 1s to 24h, such as 60s or 5m, found '\(budget)'")
      }
      settings.requestsMax = Double(seconds) * AdviceSettings.requestsPerSecond
    }
    if let path = options["prices"] {
      settings.prices = try Prices(yaml: try InputFile.bytes(path), file: path)
    }
    self.settings = settings
  }

  /// The advice, as `advice.json` has it.
  ///
  /// - Throws: what `Advisor` throws.
  func json() throws -> String {
    var advisor = try Advisor(
      trace: trace, settings: settings, cancellation: task.cancellation)
    advisor.began = { _, requests in task.begin(total: requests) }
    advisor.replayed = { task.advance($0) }
    return try AdviceReport.json(try advisor.make())
  }
}
