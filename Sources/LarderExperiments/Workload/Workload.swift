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

/// Where in a workload file things stand, for errors that are found when its traces are known.
package struct WorkloadLines: Sendable, Hashable {
  /// The file as it was named; empty for a workload that came from none.
  package var file = ""
  /// Line of each configuration, by name.
  package var configurations: [String: Int] = [:]
  /// Line of each capacity of the sweep, as it is written there.
  package var capacities: [String: Int] = [:]
  /// Line of the key `unit`, or of `ignore-size`.
  package var unit: Int?

  /// Nothing is known.
  package init() {}
}

extension Workload {
  /// An error of the plan with the place that it speaks of: `w.yaml:12: configuration ...`.
  package func message(for error: PlanError) -> String {
    guard !lines.file.isEmpty else { return error.description }
    return "\(lines.file)\(line(of: error).map { ":\($0)" } ?? ""): \(error)"
  }

  private func line(of error: PlanError) -> Int? {
    switch error {
    case .capacity(let error, let configuration, _):
      // A capacity that stands in the configuration itself is told at that.
      let spec = configurations.first { $0.name == configuration }
      let own = [spec?.memory.capacity, spec?.disk.capacity].compactMap { $0?.description }
      return own.contains(error.text)
        ? lines.configurations[configuration]
        : lines.capacities[error.text] ?? lines.configurations[configuration]
    case .memoryTooSmall(let configuration, _, _, _), .noPolicy(let configuration),
      .noCapacity(let configuration), .filter(_, let configuration),
      .bound(_, let configuration), .noTimesForFetches(let configuration, _),
      .noSizesForFetches(let configuration, _), .noPrompts(let configuration, _),
      .layout(_, let configuration), .noEncryption(let configuration):
      return lines.configurations[configuration]
    case .memory(let configuration, let capacity, _, _, _):
      return lines.capacities[capacity] ?? lines.configurations[configuration]
    case .noSizes: return lines.unit
    case .factsMissing, .nothingToRun, .noTimes, .noCosts: return nil
    }
  }
}

/// What a workload runs: the key `mode`.
public enum RunMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// Policies only, no keys and no values.
  case simulate
  /// Real caches.
  case execute
}

/// A file that a run leaves behind, by the name of its report.
package struct ReportKind: RawRepresentable, Sendable, Hashable, CaseIterable {
  /// The name in workload files.
  package let rawValue: String
  /// The files that it consists of; empty where that is not known.
  let files: String

  /// `counts.csv`.
  package static let counts = ReportKind(name: "counts", files: "counts.csv")
  /// `timings.csv`.
  package static let timings = ReportKind(name: "timings", files: "timings.csv")
  /// `results.json`.
  package static let json = ReportKind(name: "json", files: "results.json")
  /// `report.md`, with its charts as `charts/*.svg`.
  package static let markdown = ReportKind(name: "markdown", files: "report.md and charts/")
  /// `report.html`.
  package static let html = ReportKind(name: "html", files: "report.html")

  /// Those of this package, which the schema of workload files lists.
  package static let standard = [counts, timings, json, markdown, html]

  private static let added = Locked<[ReportKind]>([])

  /// All of them: those of this package, and what the program has added to its reports.
  package static var allCases: [ReportKind] { standard + added.withLock { $0 } }

  /// The report of a name that there is.
  package init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = kind
  }

  private init(name: String, files: String = "") {
    rawValue = name
    self.files = files
  }

  /// Lets workload files name a report of the program's own.
  package static func add(_ name: String) {
    added.withLock { $0.append(ReportKind(name: name)) }
  }
}

/// What is replayed before counting begins.
package enum WarmUp: Sendable, Hashable {
  /// Nothing: every request counts.
  case none
  /// The first so many requests, of every operation.
  case requests(UInt64)
  /// The first part of the trace.
  case share(Share)
  /// Everything up to the first eviction; for a hybrid: of the disk tier.
  case untilFull

  /// What is excluded, in words for a report.
  package var description: String {
    switch self {
    case .none: "none: every request counts"
    case .requests(let count): "the first \(count) requests of each cell"
    case .share(let share): "the first \(share) of the requests of each cell"
    case .untilFull: "all requests of each cell up to the first eviction"
    }
  }

  /// How many requests to replay before counting, out of `total`; nil when only the replay itself
  /// can tell.
  package func requests(of total: UInt64) -> UInt64? {
    switch self {
    case .none: 0
    case .requests(let count): min(count, total)
    case .share(let share): share.of(total)
    case .untilFull: nil
    }
  }
}

/// What a workload file says of advice: the decision that is made for its traces, beside the cells.
package struct AdviseSpec: Sendable, Hashable {
  /// The capacities; empty for a few shares of the footprint.
  package var capacities: [CapacitySpec] = []
  /// Which tiers a design may have.
  package var tiers = AdviceTiers.auto
  /// File with prices, relative to the workload file's folder; nil for the example values.
  package var prices: String?
  /// The share of the requests that designs are chosen on; nil to choose and score on all.
  package var learned: Share? = Share(percent: 50)
  /// The time to search at a stated speed; nil for what each capacity has by default.
  package var budgetSeconds: UInt64?

  /// The defaults.
  package init() {}
}

/// Which tiers a design may have.
package enum AdviceTiers: String, Sendable, Hashable, Codable, CaseIterable {
  /// Memory alone.
  case memory
  /// Disk alone.
  case disk
  /// Memory in front of disk.
  case hybrid
  /// Memory, and whether a disk behind it pays.
  case auto
}

/// What a workload file says of checks: what may change, and what is timed.
package struct CheckSpec: Sendable, Hashable {
  /// What may change, exact to a billionth. What is not here may not change at all.
  package var tolerances: [CheckTolerance: Share]
  /// Whether every change of a count fails the check, and not only a loss.
  package var isExact = false
  /// How much of memory and disk may change, exact to a billionth of the baseline's figure; what is
  /// not here, by the `threshold` of each.
  package var resources: [CheckResource: Share] = [:]
  /// Which cells are timed.
  package var timed: ExecutionFilter

  /// By default nothing may change and everything is timed.
  package init(
    tolerances: [CheckTolerance: Share] = [:], timed: ExecutionFilter = ExecutionFilter()
  ) {
    self.tolerances = tolerances
    self.timed = timed
  }
}

/// What a workload file may allow to change without anybody being told.
///
/// The two ratios are differences of the ratio itself, of the others a share of the baseline's
/// number: `hit_ratio: 0.001` lets 0.400 become 0.399, `evictions: 1%` lets 1000 become 990.
package enum CheckTolerance: String, Sendable, Hashable, CaseIterable {
  /// Of hits, also by tier.
  case hitRatio = "hit_ratio"
  /// Of bytes hit.
  case byteHitRatio = "byte_hit_ratio"
  /// Of stale hits.
  case staleHits = "stale_hits"
  /// Of objects stored.
  case admissions
  /// Of objects refused.
  case rejections
  /// Of objects given up.
  case evictions
  /// Of entries found expired.
  case expirations
  /// Of copies made from disk to memory.
  case promotions
  /// Of objects moved from memory to disk.
  case demotions
  /// Of objects that memory gave up.
  case memoryEvictions = "memory_evictions"
  /// Of objects that disk gave up.
  case diskEvictions = "disk_evictions"
  /// Of objects stored on disk.
  case diskWrites = "disk_writes"
  /// Of bytes stored on disk.
  case diskBytesWritten = "disk_bytes_written"
}

/// What a cache takes of memory, disk and processor, as checks compare it: the names of columns in
/// `timings.csv`, where there is one. Of all of them less is better. `disk_bytes_written` is not
/// among them: how many pages reach the disk depends on when the system writes them back.
package enum CheckResource: String, Sendable, Hashable, CaseIterable, Codable {
  /// Bytes of memory for each object, by the allocator's count.
  case memoryBytesPerObject = "memory_bytes_per_object"
  /// Bytes of the cache's files at the end.
  case diskBytes = "disk_bytes"
  /// Bytes that were given to the system to write, by the cache's own count where it has one.
  case bytesWritten = "bytes_written"
  /// Files in the cache's folder at the end.
  case files
  /// Instructions of a request, counted by callgrind; the values that are made and checked for it
  /// are in it. Only where they were asked for.
  case instructionsPerRequest = "instructions_per_request"

  /// The change that is allowed unless the workload file says otherwise.
  package var threshold: Share {
    switch self {
    case .memoryBytesPerObject, .diskBytes, .bytesWritten, .files: Share(percent: 5)
    case .instructionsPerRequest: Share(percent: 1)
    }
  }
}
