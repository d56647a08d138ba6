import Foundation
import Larder
import LarderSupport

/// Results of a run: the content of `results.json` and the input of all reports.
public struct RunResults: Sendable, Hashable, Codable {
  /// Version of this structure.
  public var schemaVersion: Int = RunResults.currentSchemaVersion
  /// Name of the workload.
  public var workload: String
  /// Description of the workload by its author.
  public var workloadDescription: String
  /// Command that repeats the run.
  public var command: String
  /// Start in ISO 8601 with time zone.
  public var started: String
  /// End in ISO 8601 with time zone.
  public var finished: String
  /// True if the run was stopped before all cells were done.
  public var interrupted: Bool
  /// Number of planned cells; more than `records` after an interruption.
  public var plannedCells: Int
  /// Number of threads of the sweep.
  public var threads: Int
  /// Machine of the run.
  public var machine: MachineDescription
  /// Facts about the traces.
  public var traces: [TraceFacts]
  /// Latency model in words; nil without one.
  public var latencyModel: String?
  /// Warm-up of each cell, in words.
  public var warmUp: String
  /// Conditions of executing real caches; nil without any.
  public var execution: ExecutionConditions?
  /// Facts about configurations other than Larder's plain caches; nil without any.
  public var caches: [CacheFacts]?
  /// Assumptions of the workload in addition to the simulation; nil without any.
  public var assumptions: [ConfigurationAssumptions]?
  /// Today's cache against the proposed one, for each trace; nil without advice.
  package var decisions: [Decision]?
  /// Limits of the workload held against its cells; nil without any.
  package var requirements: [RequirementResult]?
  /// Earlier runs in the history, the oldest first; nil without one.
  package var history: [HistoryEntry]?
  /// Records by cell, in plan order.
  public var records: [Record]
  /// Notes for readers, such as omissions with their reasons.
  public var notes: [String]

  /// Version that this code writes.
  public static var currentSchemaVersion: Int { 1 }

  package init(
    workload: String, workloadDescription: String, command: String, started: String,
    finished: String = "", interrupted: Bool = false, plannedCells: Int, threads: Int,
    machine: MachineDescription, traces: [TraceFacts] = [], latencyModel: String? = nil,
    warmUp: String, execution: ExecutionConditions? = nil, caches: [CacheFacts]? = nil,
    records: [Record] = [], notes: [String] = []
  ) {
    self.workload = workload
    self.workloadDescription = workloadDescription
    self.command = command
    self.started = started
    self.finished = finished
    self.interrupted = interrupted
    self.plannedCells = plannedCells
    self.threads = threads
    self.machine = machine
    self.traces = traces
    self.latencyModel = latencyModel
    self.warmUp = warmUp
    self.execution = execution
    self.caches = caches
    self.records = records
    self.notes = notes
  }
}

/// A run in a history, one line of its file.
package struct HistoryEntry: Sendable, Hashable, Codable {
  package var workload: String
  package var started: String
  package var larder: String
  package var cells: [HitRatio]
  /// Number of requirements that were missed.
  package var missed: Int

  package struct HitRatio: Sendable, Hashable, Codable {
    package var cell: String
    package var hitRatio: Double
  }

  package init(
    workload: String, started: String, larder: String, records: [Record],
    requirements: [RequirementResult]?
  ) {
    (self.workload, self.started, self.larder) = (workload, started, larder)
    let severalTraces = Set(records.map(\.cell.trace)).count > 1
    cells = records.compactMap { record in
      record.counts.freshHitRatio.map {
        HitRatio(cell: "\(CellName(record.cell, amongTraces: severalTraces))", hitRatio: $0)
      }
    }
    missed = (requirements ?? []).count { !$0.isMet }
  }
}

/// Facts for reports about a configuration whose cache is a preset, or not Larder's own.
public struct CacheFacts: Sendable, Hashable, Codable {
  /// Name of the configuration.
  public var configuration: String
  /// Cache under test: see `ContenderRegistry`.
  public var cache: String
  /// Preset; nil for none.
  public var preset: String?
  /// Description of the cache or its model, and the differences between them.
  public var summary: String
  /// Limits of a preset in words; nil if the sweep sets them.
  public var limits: String?

  package init(
    configuration: String, cache: String, preset: String? = nil, summary: String,
    limits: String? = nil
  ) {
    self.configuration = configuration
    self.cache = cache
    self.preset = preset
    self.summary = summary
    self.limits = limits
  }
}

/// Assumptions of a workload about a configuration, for reports only: counts do not depend on them.
public struct ConfigurationAssumptions: Sendable, Hashable, Codable {
  /// Name of the configuration.
  public var configuration: String
  /// Tokens per second that the model reads when it computes a prompt.
  public var prefillTokensPerSecond: Double?
  /// Drive of a disk cache.
  public var drive: DriveModel?

  package static func all(of workload: Workload) -> [ConfigurationAssumptions]? {
    let all = workload.configurations.compactMap { spec -> ConfigurationAssumptions? in
      let rate = spec.prefix?.prefillTokensPerSecond
      guard rate != nil || spec.drive != nil else { return nil }
      return ConfigurationAssumptions(
        configuration: spec.name, prefillTokensPerSecond: rate, drive: spec.drive)
    }
    return all.isEmpty ? nil : all
  }
}

/// Machine and build of a run.
public struct MachineDescription: Sendable, Hashable, Codable {
  /// Processor model.
  public var processor: String
  /// Number of logical processors available.
  public var cores: Int
  /// Physical memory in bytes.
  public var memoryBytes: UInt64
  /// Operating system and release.
  public var system: String
  /// Version of larder.
  public var larderVersion: String
  /// Git commit of the build; nil if unknown.
  public var larderRevision: String?
  /// Version of the Swift compiler, as far as known.
  public var swiftVersion: String
  /// `release` or `debug`.
  public var build: String

  /// Version and commit of larder.
  public var larder: String { larderVersion + (larderRevision.map { " (\($0))" } ?? "") }

  /// The machine in one line, as in `timings.csv`.
  public var summary: String {
    "\(processor), \(cores) cores, \(memoryBytes >> 30) GiB, \(system), \(build) build"
  }
}

extension MachineDescription {
  /// Describes the machine and the build of this process.
  public static func current() -> MachineDescription {
    let process = ProcessInfo.processInfo
    return MachineDescription(
      processor: processorName(), cores: process.activeProcessorCount,
      memoryBytes: process.physicalMemory, system: systemName(),
      larderVersion: LarderVersion.current, larderRevision: LarderVersion.revision,
      swiftVersion: LarderVersion.compiler, build: LarderVersion.build)
  }

  private static func processorName() -> String {
    #if os(Linux)
      let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n") where line.hasPrefix("model name") {
        if let colon = line.firstIndex(of: ":") {
          return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
      }
    #elseif canImport(Darwin)
      var size = 0
      if sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0, size > 0 {
        var bytes = [UInt8](repeating: 0, count: size)
        if sysctlbyname("machdep.cpu.brand_string", &bytes, &size, nil, 0) == 0 {
          return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
      }
    #endif
    return "unknown processor"
  }

  private static func systemName() -> String {
    #if os(Linux)
      let text = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
      for line in text.split(separator: "\n") where line.hasPrefix("PRETTY_NAME=") {
        return line.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: ["\"", " "])
      }
      return "Linux"
    #else
      return ProcessInfo.processInfo.operatingSystemVersionString
    #endif
  }
}

extension RunResults {
  package var timedMachines: [String] {
    var seen: Set<String> = []
    return records.flatMap(\.timings).map { $0.machine ?? machine.summary }
      .filter { seen.insert($0).inserted }
  }
}

extension Record {
  package func timed(on machine: String, of results: RunResults) -> Record {
    var record = self
    record.timings.removeAll { ($0.machine ?? results.machine.summary) != machine }
    return record
  }
}
