import LarderEngine
import LarderTraces

/// A workload file: where requests come from and which caches they are sent through.
///
/// A value without any file or registry behind it. `WorkloadDecoder` makes it from YAML, `Plan`
/// makes cells of it.
package struct Workload: Sendable, Hashable {
  /// The name in results.
  package var name: String
  /// What the workload stands for, in its author's words.
  package var description: String
  /// Folder that the paths in `source` are relative to; empty for the current one.
  package var folder: String
  /// Where the requests come from.
  package var source: SourceSpec
  /// Further traces, each with a set of cells of its own.
  package var moreSources: [SourceSpec] = []
  /// What capacities count; nil for bytes where the source has sizes and objects where not.
  package var unit: CapacityUnit?
  /// The caches.
  package var configurations: [ConfigurationSpec]
  /// Policies to sweep over the tiers that name none.
  package var policies: [PolicySpec]
  /// Capacities to sweep.
  package var capacities: [CapacitySpec]
  /// Seeds: each makes its own trace from a generator, and drives random policies.
  package var seeds: [UInt64]
  /// What is replayed before counting begins.
  package var warmUp: WarmUp
  /// How prefixes are counted in configurations that do not say so themselves; nil for not at all.
  package var prefix: PrefixSpec?
  /// What an access costs, for a computed access time; nil for none.
  package var latency: LatencyModel?
  /// How often each cell is timed.
  package var repetitions: Int
  /// Whether policies are simulated, real caches driven, or both.
  package var modes: [RunMode]
  /// How real caches are driven; nil where the workload does not say.
  package var execution: ExecutionSpec?
  /// Which cells are executed, where real caches are driven.
  package var executed: ExecutionFilter
  /// What checks allow to change, and what they time.
  package var check = CheckSpec()
  /// The decision that is made for each trace; nil for none.
  package var advise: AdviseSpec?
  /// The files to write.
  package var reports: [ReportKind]
  /// Where in the file things stand, for errors that only a trace brings to light.
  package var lines: WorkloadLines

  /// A workload; what has a default here has the same in a file.
  package init(
    name: String, description: String = "", folder: String = "", source: SourceSpec,
    unit: CapacityUnit? = nil,
    configurations: [ConfigurationSpec] = [ConfigurationSpec(name: "memory", kind: .memory)],
    policies: [PolicySpec] = [], capacities: [CapacitySpec] = [], seeds: [UInt64] = [1],
    warmUp: WarmUp = .none, latency: LatencyModel? = nil, repetitions: Int = 1,
    modes: [RunMode] = [.simulate], execution: ExecutionSpec? = nil,
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
  package func path(of trace: TraceReference) -> String {
    if trace.path.hasPrefix("/") || folder.isEmpty { return trace.path }
    return folder.hasSuffix("/") ? folder + trace.path : "\(folder)/\(trace.path)"
  }

  /// Every source; each has a set of cells of its own.
  package var sources: [SourceSpec] { [source] + moreSources }
}

extension SourceSpec {
  /// Whether another seed gives other requests: true of everything but trace files in a row.
  package var dependsOnSeed: Bool {
    switch self {
    case .trace: false
    case .generator, .mix: true
    case .phases(let parts, _): parts.contains(where: \.dependsOnSeed)
    }
  }
}
