import LarderEngine
import LarderTraces

/// A workload file: a source of requests, and the caches that receive them.
package struct Workload: Sendable, Hashable {
  package var name: String
  package var description: String = ""
  package var folder: String = ""
  package var source: SourceSpec
  /// Unit of capacities; nil for bytes if the source has sizes, and objects otherwise.
  package var unit: CapacityUnit?
  package var configurations = [ConfigurationSpec(name: "memory", kind: .memory)]
  package var policies: [PolicySpec] = []
  package var capacities: [CapacitySpec] = []
  package var seeds: [UInt64] = [1]
  package var warmUp: WarmUp = .none
  package var latency: LatencyModel?
  package var repetitions: Int = 1
  package var modes: [RunMode] = [.simulate]
  package var execution: ExecutionSpec?
  package var reports: [ReportKind] = ReportKind.allCases
  package var lines: WorkloadLines = WorkloadLines()
  package var moreSources: [SourceSpec] = []
  package var prefix: PrefixSpec?
  package var check = CheckSpec()
  package var advise: AdviceSettings?
  package var requirements: [Requirements] = []

  package func path(of trace: TraceReference) -> String {
    if trace.path.hasPrefix("/") || folder.isEmpty { return trace.path }
    return folder.hasSuffix("/") ? folder + trace.path : "\(folder)/\(trace.path)"
  }

  package var sources: [SourceSpec] { [source] + moreSources }

  /// Sets the cache that runs today; it needs advice.
  package mutating func setCurrent(_ cache: CurrentCache) {
    advise = advise ?? AdviceSettings()
    advise?.current = cache
  }
}

extension Workload {
  package init(name: String, source: SourceSpec) { (self.name, self.source) = (name, source) }
}

extension SourceSpec {
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
  package var file = ""
  package var configurations: [String: Int] = [:]
  package var capacities: [String: Int] = [:]
  package var unit: Int?
}

extension Workload {
  package func message(for error: PlanError) -> String {
    guard !lines.file.isEmpty else { return error.description }
    return "\(lines.file)\(line(of: error).map { ":\($0)" } ?? ""): \(error)"
  }

  private func line(of error: PlanError) -> Int? {
    guard let name = error.configuration else { return error.isOfUnit ? lines.unit : nil }
    let spec = configurations.first { $0.name == name }
    // A capacity inside a configuration is reported at its line.
    let own = [spec?.memory.capacity, spec?.disk.capacity].compactMap { $0?.description }
    let swept = error.capacity.flatMap { own.contains($0) ? nil : lines.capacities[$0] }
    return swept ?? lines.configurations[name]
  }
}

/// Modes of running a workload: the key `mode`.
public enum RunMode: String, Sendable, Hashable, Codable, CaseIterable {
  case simulate
  case execute
}

package struct ReportKind: RawRepresentable, Sendable, Hashable, CaseIterable {
  package let rawValue: String
  let files: String

  package static let counts = ReportKind(name: "counts", files: "counts.csv")
  package static let timings = ReportKind(name: "timings", files: "timings.csv")
  package static let json = ReportKind(name: "json", files: "results.json")
  package static let markdown = ReportKind(name: "markdown", files: "report.md and charts/")
  package static let html = ReportKind(name: "html", files: "report.html")

  package static let standard = [counts, timings, json, markdown, html]

  private static let added = Locked<[ReportKind]>([])

  package static var allCases: [ReportKind] { standard + added.withLock { $0 } }

  package init?(rawValue: String) {
    guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = kind
  }

  private init(name: String, files: String = "") {
    rawValue = name
    self.files = files
  }

  package static func add(_ name: String) { added.withLock { $0.append(ReportKind(name: name)) } }
}

package enum WarmUp: Sendable, Hashable {
  case none
  case requests(UInt64)
  case share(Share)
  case untilFull

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

package enum AdviceTiers: String, Sendable, Hashable, Codable, CaseIterable {
  case memory
  case disk
  case hybrid
  case auto
}

/// Check options of a workload file: tolerances and timed cells.
package struct CheckSpec: Sendable, Hashable {
  package var tolerances: [CheckTolerance: Share] = [:]
  package var timed: ExecutionFilter = ExecutionFilter()
  package var isExact = false
  package var resources: [CheckResource: Share] = [:]

  package init() {}
}

package enum CheckTolerance: String, Sendable, Hashable, CaseIterable {
  case hitRatio = "hit_ratio"
  case byteHitRatio = "byte_hit_ratio"
  case staleHits = "stale_hits"
  case admissions
  case rejections
  case evictions
  case expirations
  case promotions
  case demotions
  case memoryEvictions = "memory_evictions"
  case diskEvictions = "disk_evictions"
  case diskWrites = "disk_writes"
  case diskBytesWritten = "disk_bytes_written"
}

/// Memory, disk and processor usage of a cache, for checks: by the columns in `timings.csv`, if
/// any.
package enum CheckResource: String, Sendable, Hashable, CaseIterable, Codable {
  case memoryBytesPerObject = "memory_bytes_per_object"
  case diskBytes = "disk_bytes"
  case bytesWritten = "bytes_written"
  case files
  case instructionsPerRequest = "instructions_per_request"

  package var threshold: Share {
    switch self {
    case .memoryBytesPerObject, .diskBytes, .bytesWritten, .files: Share(percent: 5)
    case .instructionsPerRequest: Share(percent: 1)
    }
  }
}
