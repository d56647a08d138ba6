import LarderEngine
import LarderTraces

/// A workload file: where requests come from and which caches they are sent through.
///
/// A value without any file or registry behind it. `WorkloadDecoder` makes it from YAML, `Plan`
/// makes cells of it.
public struct Workload: Sendable, Hashable {
  /// The name in results.
  public var name: String
  /// What the workload stands for, in its author's words.
  public var description: String
  /// Folder that the paths in `source` are relative to; empty for the current one.
  public var folder: String
  /// Where the requests come from.
  public var source: SourceSpec
  /// What capacities count; nil for bytes where the source has sizes and objects where not.
  public var unit: CapacityUnit?
  /// The caches.
  public var configurations: [ConfigurationSpec]
  /// Policies to sweep over the tiers that name none.
  public var policies: [PolicySpec]
  /// Capacities to sweep.
  public var capacities: [CapacitySpec]
  /// Seeds: each makes its own trace from a generator, and drives random policies.
  public var seeds: [UInt64]
  /// What is replayed before counting begins.
  public var warmUp: WarmUp
  /// What an access costs, for a computed access time; nil for none.
  public var latency: LatencyModel?
  /// How often each cell is timed.
  public var repetitions: Int
  /// Whether policies are simulated, real caches driven, or both.
  public var modes: [Timing.Mode]
  /// How real caches are driven; nil where the workload does not say.
  public var execution: ExecutionSpec?
  /// Which cells are executed, where real caches are driven.
  public var executed: ExecutionFilter
  /// What checks allow to change, and what they time.
  public var check = CheckSpec()
  /// The files to write.
  public var reports: [ReportKind]
  /// Where in the file things stand, for errors that only a trace brings to light.
  public var lines: WorkloadLines

  /// A workload; what has a default here has the same in a file.
  public init(
    name: String, description: String = "", folder: String = "", source: SourceSpec,
    unit: CapacityUnit? = nil,
    configurations: [ConfigurationSpec] = [ConfigurationSpec(name: "memory", kind: .memory)],
    policies: [PolicySpec] = [], capacities: [CapacitySpec] = [], seeds: [UInt64] = [1],
    warmUp: WarmUp = .none, latency: LatencyModel? = nil, repetitions: Int = 1,
    modes: [Timing.Mode] = [.simulate], execution: ExecutionSpec? = nil,
    executed: ExecutionFilter = ExecutionFilter(), reports: [ReportKind] = ReportKind.allCases,
    lines: WorkloadLines = WorkloadLines()
  ) {
    self.name = name
    self.description = description
    self.folder = folder
    self.source = source
    self.unit = unit
    self.configurations = configurations
    self.policies = policies
    self.capacities = capacities
    self.seeds = seeds
    self.warmUp = warmUp
    self.latency = latency
    self.repetitions = repetitions
    self.modes = modes
    self.execution = execution
    self.executed = executed
    self.reports = reports
    self.lines = lines
  }

  /// Where a trace of the source is: its path, taken from the workload file's folder unless it is
  /// absolute.
  public func path(of trace: TraceReference) -> String {
    if trace.path.hasPrefix("/") || folder.isEmpty { return trace.path }
    return folder.hasSuffix("/") ? folder + trace.path : "\(folder)/\(trace.path)"
  }

  /// Whether another seed gives other requests: true of everything but trace files in a row.
  public var sourceDependsOnSeed: Bool { source.dependsOnSeed }
}

extension SourceSpec {
  /// Whether another seed gives other requests.
  var dependsOnSeed: Bool {
    switch self {
    case .trace: false
    case .generator, .mix: true
    case .phases(let parts, _): parts.contains(where: \.dependsOnSeed)
    }
  }
}
