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

/// What a report says of a trace.
public struct TraceFacts: Sendable, Hashable, Codable {
  /// Name of the trace or generator.
  public var name: String
  /// Seed of the generator, nil for a file.
  public var seed: UInt64?
  /// Requests of every operation.
  public var requests: UInt64
  /// Distinct objects.
  public var objects: UInt64
  /// Sum of the objects' sizes; nil when the trace has no sizes.
  public var footprintBytes: UInt64?

  /// The facts.
  public init(
    name: String, seed: UInt64? = nil, requests: UInt64, objects: UInt64, footprintBytes: UInt64?
  ) {
    self.name = name
    self.seed = seed
    self.requests = requests
    self.objects = objects
    self.footprintBytes = footprintBytes
  }
}
