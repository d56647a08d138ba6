import LarderEngine
import LarderTraces

/// A workload file: a source of requests, and the caches that receive them.
///
/// A value independent of files and registries. `WorkloadDecoder` creates it from YAML, `Plan`
/// expands it to cells.
package struct Workload: Sendable, Hashable {
  /// Name in results.
  package var name: String
  /// Description by its author.
  package var description: String
  /// Base folder of the paths in `source`; empty for the current one.
  package var folder: String
  /// Source of the requests.
  package var source: SourceSpec
  /// Further traces, each with its own set of cells.
  package var moreSources: [SourceSpec] = []
  /// Unit of capacities; nil for bytes if the source has sizes, and objects otherwise.
  package var unit: CapacityUnit?
  package var configurations: [ConfigurationSpec]
  /// Policies to sweep over the tiers that name none.
  package var policies: [PolicySpec]
  package var capacities: [CapacitySpec]
  /// Seeds: each makes its own trace from a generator, and seeds random policies.
  package var seeds: [UInt64]
  /// Uncounted beginning of the trace.
  package var warmUp: WarmUp
  /// Options for counting prefixes in configurations without their own; nil for not counting.
  package var prefix: PrefixSpec?
  /// Cost of an access, for a computed access time; nil for none.
  package var latency: LatencyModel?
  /// Number of timings per cell.
  package var repetitions: Int
  /// Modes: simulated policies, real caches, or both.
  package var modes: [RunMode]
  /// Options for driving real caches; nil if not given.
  package var execution: ExecutionSpec?
  /// Selection of the cells to execute.
  package var executed: ExecutionFilter
  /// Tolerances and timed cells of checks.
  package var check = CheckSpec()
  /// Options of the advice for each trace; nil for none.
  package var advise: AdviseSpec?
  /// Reports to write.
  package var reports: [ReportKind]
  /// Lines in the file, for errors that depend on a trace.
  package var lines: WorkloadLines

  /// Creates a workload with the default values of a file.
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

  /// Path of a trace of the source, relative to the workload file's folder unless it is absolute.
  package func path(of trace: TraceReference) -> String {
    if trace.path.hasPrefix("/") || folder.isEmpty { return trace.path }
    return folder.hasSuffix("/") ? folder + trace.path : "\(folder)/\(trace.path)"
  }

  /// All sources; each has its own set of cells.
  package var sources: [SourceSpec] { [source] + moreSources }
}

extension SourceSpec {
  /// True if another seed gives other requests: for everything except trace files in a row.
  package var dependsOnSeed: Bool {
    switch self {
    case .trace: false
    case .generator, .mix: true
    case .phases(let parts, _): parts.contains(where: \.dependsOnSeed)
    }
  }
}

/// Lines in a workload file, for errors that are found when its traces are known.
package struct WorkloadLines: Sendable, Hashable {
  /// File name as given; empty for a workload without a file.
  package var file = ""
  /// Line of each configuration, by name.
  package var configurations: [String: Int] = [:]
  /// Line of each capacity of the sweep, as written there.
  package var capacities: [String: Int] = [:]
  /// Line of the key `unit`, or of `ignore-size`.
  package var unit: Int?

  package init() {}
}

extension Workload {
  /// Message of a plan's error with its position: `w.yaml:12: configuration ...`.
  package func message(for error: PlanError) -> String {
    guard !lines.file.isEmpty else { return error.description }
    return "\(lines.file)\(line(of: error).map { ":\($0)" } ?? ""): \(error)"
  }

  private func line(of error: PlanError) -> Int? {
    switch error {
    case .capacity(let error, let configuration, _):
      // A capacity inside a configuration is reported at its line.
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

/// Modes of running a workload: the key `mode`.
public enum RunMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// Only policies, without keys and values.
  case simulate
  /// Real caches.
  case execute
}

/// A report of a run, by name.
package struct ReportKind: RawRepresentable, Sendable, Hashable, CaseIterable {
  /// Name in workload files.
  package let rawValue: String
  /// Files of the report; empty if unknown.
  let files: String

  package static let counts = ReportKind(name: "counts", files: "counts.csv")
  package static let timings = ReportKind(name: "timings", files: "timings.csv")
  package static let json = ReportKind(name: "json", files: "results.json")
  /// `report.md`, with its charts as `charts/*.svg`.
  package static let markdown = ReportKind(name: "markdown", files: "report.md and charts/")
  package static let html = ReportKind(name: "html", files: "report.html")

  /// Reports of this package, which the schema of workload files lists.
  package static let standard = [counts, timings, json, markdown, html]

  private static let added = Locked<[ReportKind]>([])

  /// All reports: those of this package, and those that the program has added.
  package static var allCases: [ReportKind] { standard + added.withLock { $0 } }

  /// Report of a known name.
  package init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = kind
  }

  private init(name: String, files: String = "") {
    rawValue = name
    self.files = files
  }

  /// Registers a report of the program, for use in workload files.
  package static func add(_ name: String) {
    added.withLock { $0.append(ReportKind(name: name)) }
  }
}

/// Uncounted beginning of a trace.
package enum WarmUp: Sendable, Hashable {
  /// Every request counts.
  case none
  /// A number of requests, of all operations.
  case requests(UInt64)
  /// A share of the trace.
  case share(Share)
  /// Everything up to the first eviction; for a hybrid: of the disk tier.
  case untilFull

  /// Description for a report.
  package var description: String {
    switch self {
    case .none: "none: every request counts"
    case .requests(let count): "the first \(count) requests of each cell"
    case .share(let share): "the first \(share) of the requests of each cell"
    case .untilFull: "all requests of each cell up to the first eviction"
    }
  }

  /// Number of requests to replay before counting, out of `total`; nil if only the replay itself
  /// determines it.
  package func requests(of total: UInt64) -> UInt64? {
    switch self {
    case .none: 0
    case .requests(let count): min(count, total)
    case .share(let share): share.of(total)
    case .untilFull: nil
    }
  }
}

/// Advice options of a workload file: the decision for its traces, in addition to the cells.
package struct AdviseSpec: Sendable, Hashable {
  /// Capacities; empty for default shares of the footprint.
  package var capacities: [CapacitySpec] = []
  /// Tiers that a design may have.
  package var tiers = AdviceTiers.auto
  /// File with prices, relative to the workload file's folder; nil for the example values.
  package var prices: String?
  /// Share of the requests on which designs are chosen; nil to choose and score on all.
  package var learned: Share? = Share(percent: 50)
  /// Number of requests that the search may replay; nil for the default of each capacity.
  package var requestsMax: Int?

  package init() {}
}

/// Tiers that a design may have.
package enum AdviceTiers: String, Sendable, Hashable, Codable, CaseIterable {
  case memory
  case disk
  case hybrid
  /// Memory, and a disk behind it if that pays.
  case auto
}

/// Check options of a workload file: tolerances and timed cells.
package struct CheckSpec: Sendable, Hashable {
  /// Tolerated changes, exact to a billionth. Missing ones tolerate no change.
  package var tolerances: [CheckTolerance: Share]
  /// True if any change of a count fails the check, and not only a loss.
  package var isExact = false
  /// Tolerated changes of memory and disk, exact to a billionth of the baseline's figure; missing
  /// ones have their `threshold`.
  package var resources: [CheckResource: Share] = [:]
  /// Selection of the cells to time.
  package var timed: ExecutionFilter

  /// Creates a spec; by default no change is tolerated and everything is timed.
  package init(
    tolerances: [CheckTolerance: Share] = [:], timed: ExecutionFilter = ExecutionFilter()
  ) {
    self.tolerances = tolerances
    self.timed = timed
  }
}

/// Counts with tolerated changes in a workload file.
///
/// Tolerances of the two ratios are differences of the ratio itself, those of the others shares of
/// the baseline's number: `hit_ratio: 0.001` lets 0.400 become 0.399, `evictions: 1%` lets 1000
/// become 990.
package enum CheckTolerance: String, Sendable, Hashable, CaseIterable {
  /// Allowed change in hit ratios, also by tier.
  case hitRatio = "hit_ratio"
  /// Allowed change in byte hit ratios.
  case byteHitRatio = "byte_hit_ratio"
  /// Allowed change in stale hits.
  case staleHits = "stale_hits"
  /// Allowed change in stored objects.
  case admissions
  /// Allowed change in rejected objects.
  case rejections
  /// Allowed change in evicted objects.
  case evictions
  /// Allowed change in entries found expired.
  case expirations
  /// Allowed change in copies from disk to memory.
  case promotions
  /// Allowed change in moves from memory to disk.
  case demotions
  /// Allowed change in evictions from memory.
  case memoryEvictions = "memory_evictions"
  /// Allowed change in evictions from disk.
  case diskEvictions = "disk_evictions"
  /// Allowed change in objects stored on disk.
  case diskWrites = "disk_writes"
  /// Allowed change in bytes stored on disk.
  case diskBytesWritten = "disk_bytes_written"
}

/// Memory, disk and processor usage of a cache, for checks: by the columns in `timings.csv`, if
/// any. Less is better for all of them. `disk_bytes_written` is not included: the number of pages
/// that reach the disk depends on when the system writes them back.
package enum CheckResource: String, Sendable, Hashable, CaseIterable, Codable {
  /// Bytes of memory per object, by the allocator's count.
  case memoryBytesPerObject = "memory_bytes_per_object"
  /// Bytes of the cache's files at the end.
  case diskBytes = "disk_bytes"
  /// Bytes passed to write calls, by the cache's own count if available.
  case bytesWritten = "bytes_written"
  /// Files in the cache's folder at the end.
  case files
  /// Instructions per request, counted by callgrind, including the creation and verification of
  /// values. Only on request.
  case instructionsPerRequest = "instructions_per_request"

  /// Default of the allowed change.
  package var threshold: Share {
    switch self {
    case .memoryBytesPerObject, .diskBytes, .bytesWritten, .files: Share(percent: 5)
    case .instructionsPerRequest: Share(percent: 1)
    }
  }
}
