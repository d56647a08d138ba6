import LarderWorkloads

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
