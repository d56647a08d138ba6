import Foundation
import Larder
import LarderSupport

/// Everything a run leaves behind: what `results.json` holds and what every report is made from.
public struct RunResults: Sendable, Hashable, Codable {
  /// Version of this structure. Readers refuse a version they do not know.
  public var schemaVersion: Int = RunResults.currentSchemaVersion
  /// Name of the workload.
  public var workload: String
  /// What the workload stands for, in its author's words.
  public var workloadDescription: String
  /// The command that repeats the run.
  public var command: String
  /// Start, ISO 8601 with time zone.
  public var started: String
  /// End, ISO 8601 with time zone.
  public var finished: String
  /// True when the run was stopped before all cells were done.
  public var interrupted: Bool
  /// Cells planned; more than `records` after an interruption.
  public var plannedCells: Int
  /// Threads used for the sweep.
  public var threads: Int
  /// Where it ran.
  public var machine: MachineDescription
  /// The traces used, with what is known of them.
  public var traces: [TraceFacts]
  /// The latency model in words, when there is one.
  public var latencyModel: String?
  /// What was excluded from counting at the start of each cell, in words.
  public var warmUp: String
  /// How real caches were driven; nil where none were to be.
  public var execution: ExecutionConditions?
  /// What to know of configurations that are not simply Larder's caches; nil where there are none.
  public var caches: [CacheFacts]?
  /// What the workload takes for granted beside what is simulated; nil where there is nothing.
  public var assumptions: [ConfigurationAssumptions]?
  /// One record a cell, in plan order.
  public var records: [Record]
  /// Remarks for the reader: what was left out, and why.
  public var notes: [String]

  /// The version this code writes.
  public static var currentSchemaVersion: Int { 1 }

  /// An empty result; records are added as cells finish.
  public init(
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

/// What a report says of a configuration whose cache is a preset, or not Larder's own.
public struct CacheFacts: Sendable, Hashable, Codable {
  /// The configuration's name.
  public var configuration: String
  /// The cache that is executed: see `ContenderRegistry`.
  public var cache: String
  /// The preset, nil for none.
  public var preset: String?
  /// What it is or models, and where it differs.
  public var summary: String
  /// A preset's limits in words; nil where the sweep sets them.
  public var limits: String?

  /// The facts.
  public init(
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

/// What a workload takes for granted of a configuration: reports compute with it, counts do not
/// depend on it.
public struct ConfigurationAssumptions: Sendable, Hashable, Codable {
  /// The configuration's name.
  public var configuration: String
  /// Tokens per second that the model reads when it computes a prompt.
  public var prefillTokensPerSecond: Double?

  /// The drive of a disk cache.
  public var drive: DriveModel?

  /// Assumptions.
  public init(
    configuration: String, prefillTokensPerSecond: Double? = nil, drive: DriveModel? = nil
  ) {
    self.configuration = configuration
    self.prefillTokensPerSecond = prefillTokensPerSecond
    self.drive = drive
  }

  /// Those of a workload; nil where it has none.
  package static func all(of workload: Workload) -> [ConfigurationAssumptions]? {
    let all = workload.configurations.compactMap { spec -> ConfigurationAssumptions? in
      let rate = spec.prefix?.prefillTokensPerSecond
      let drive = spec.drive.map {
        DriveModel(
          enduranceBytes: $0.enduranceBytes, utilisation: Double($0.utilisation.billionths) / 1e9)
      }
      guard rate != nil || drive != nil else { return nil }
      return ConfigurationAssumptions(
        configuration: spec.name, prefillTokensPerSecond: rate, drive: drive)
    }
    return all.isEmpty ? nil : all
  }
}

/// The machine a run took place on.
public struct MachineDescription: Sendable, Hashable, Codable {
  /// Processor model.
  public var processor: String
  /// Logical processors available.
  public var cores: Int
  /// Physical memory, bytes.
  public var memoryBytes: UInt64
  /// Operating system and release.
  public var system: String
  /// Version of larder.
  public var larderVersion: String
  /// Git commit that larder was built from; nil where it is not known.
  public var larderRevision: String?
  /// Version of the Swift compiler, as far as the build knows it.
  public var swiftVersion: String
  /// `release` or `debug`.
  public var build: String

  /// A description; see the properties for the meaning of each part.
  public init(
    processor: String, cores: Int, memoryBytes: UInt64, system: String, larderVersion: String,
    larderRevision: String? = nil, swiftVersion: String, build: String
  ) {
    self.processor = processor
    self.cores = cores
    self.memoryBytes = memoryBytes
    self.system = system
    self.larderVersion = larderVersion
    self.larderRevision = larderRevision
    self.swiftVersion = swiftVersion
    self.build = build
  }

  /// Version and commit of larder.
  public var larder: String { larderVersion + (larderRevision.map { " (\($0))" } ?? "") }

  /// The machine in one line, as `timings.csv` names it.
  public var summary: String {
    "\(processor), \(cores) cores, \(memoryBytes >> 30) GiB, \(system), \(build) build"
  }
}

extension MachineDescription {
  /// The machine and the build that this process runs on.
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
  /// The machines on which cells were timed, in the order of the records: several where results
  /// were merged.
  package var timedMachines: [String] {
    var seen: Set<String> = []
    return records.flatMap(\.timings).map { $0.machine ?? machine.summary }
      .filter { seen.insert($0).inserted }
  }
}

extension Record {
  /// The record with the timings of one machine alone.
  package func timed(on machine: String, of results: RunResults) -> Record {
    var record = self
    record.timings.removeAll { ($0.machine ?? results.machine.summary) != machine }
    return record
  }
}
