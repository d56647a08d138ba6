import LarderEngine
import LarderReports
import LarderSimulation
import LarderTraces
import LarderWorkloads

/// `larder mrc` over a trace that is in memory.
struct CurveCall {
  /// The options of the command that it has.
  static let options: Set<String> = [
    "policy", "capacity", "points", "unit", "ignore-size", "method", "rate", "samples", "seed",
    "measure-error", "reach", "threads",
  ]

  private let trace: PreparedTrace
  private let task: TaskState
  private let settings: CurveSettings

  /// The curves that the options ask for.
  ///
  /// - Throws: `CallError`, `PolicyError` and `CapacityError` for options.
  init(trace: PreparedTrace, options: CallOptions, task: TaskState) throws {
    self.trace = trace
    self.task = task
    var settings = CurveSettings(
      policies: try CallOptions.policies(options["policy"] ?? "lru"),
      capacities: try options["capacity"].map { try CapacitySpec.list(parsing: $0) } ?? [],
      points: try options.integer("points", in: 2...10_000) ?? 50,
      unit: try options.word("unit", CapacityUnit.self),
      method: try options.word("method", CurveMethod.self) ?? .auto,
      rate: try options.share("rate"), samples: try options.integer("samples", in: 1...1 << 30),
      seed: try options.integer("seed", in: 0...UInt64.max) ?? 1,
      measuresError: try options.flag("measure-error"), threads: try options.threads())
    if try options.flag("ignore-size") {
      if settings.unit == .bytes { throw CallError.option("ignore-size", "contradicts unit=bytes") }
      settings.unit = .objects
    }
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
      throw CallError.option("samples", "excludes 'rate'; use one of them")
    }
    if settings.rate != nil, settings.method == .exact {
      throw CallError.option("rate", "requires method=shards, miniature or auto")
    }
    self.settings = settings
  }

  /// The curves.
  ///
  /// - Throws: what `CurveMaker` throws.
  func csv() throws -> String {
    var maker = try CurveMaker(
      trace: trace, settings: settings, cancellation: task.cancellation)
    maker.began = { _, requests in task.begin(total: requests) }
    maker.replayed = { task.advance($0) }
    return CurveCSV.text(of: [try maker.make()])
  }
}
