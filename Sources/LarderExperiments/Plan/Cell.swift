import LarderEngine

/// What is run: the smallest unit of work, and the key of its results.
public struct Cell: Sendable, Hashable, Codable {
  /// Name of the workload.
  public var workload: String
  /// Name of the trace or generator.
  public var trace: String
  /// `memory`, `disk`, `hybrid`, or the workload's own name for one of them.
  public var configuration: String
  /// Which of the three shapes `configuration` is.
  public var kind: ConfigurationKind
  /// The admission filter as the user named it, nil for none; for a hybrid with one, memory's and
  /// disk's joined by `+`.
  public var admission: String?
  /// The policy as the user named it; for a hybrid, memory's and disk's joined by `+`.
  public var policy: String
  /// The capacity in `unit`. For a hybrid: of the disk tier.
  public var capacity: UInt64
  /// How the capacity was written, such as `1%`.
  public var capacityLabel: String
  /// For a hybrid: the capacity of the memory tier, in `unit`.
  public var memoryCapacity: UInt64?
  /// What the capacity counts.
  public var unit: CapacityUnit
  /// Seed of the workload's generator and of random policies.
  public var seed: UInt64

  /// A cell; see the properties for the meaning of each part.
  public init(
    workload: String, trace: String, configuration: String, kind: ConfigurationKind,
    policy: String, capacity: UInt64, capacityLabel: String, memoryCapacity: UInt64? = nil,
    unit: CapacityUnit, seed: UInt64, admission: String? = nil
  ) {
    self.workload = workload
    self.trace = trace
    self.configuration = configuration
    self.kind = kind
    self.admission = admission
    self.policy = policy
    self.capacity = capacity
    self.capacityLabel = capacityLabel
    self.memoryCapacity = memoryCapacity
    self.unit = unit
    self.seed = seed
  }
}

extension Cell {
  /// The cache in a few words: its configuration and, unless that says it, its policy.
  public var cacheName: String {
    configuration == policy ? policy : "\(configuration): \(policy)"
  }
}

/// The three shapes of a cache.
public enum ConfigurationKind: String, Sendable, Hashable, Codable, CaseIterable {
  /// One tier, in memory.
  case memory
  /// One tier, on disk.
  case disk
  /// Memory in front of disk.
  case hybrid
}

/// One cell with everything that is needed to run it.
package struct PlannedCell: Sendable, Hashable {
  /// The key of the results. Its seed chooses the trace.
  package var cell: Cell
  /// What to simulate.
  package var setup: SimulationSetup
  /// The order in which the blocks of prompts are requested; nil where prefixes are not counted.
  package var prefix: PromptOrder?
  /// How objects are arranged on flash; nil where a policy decides.
  package var layout: FlashLayout?
  /// Whether the time that the counted requests took is counted: where a drive's life is estimated.
  package var countsTime = false
  /// The name of the cache that is executed: see `ContenderRegistry`.
  package var contender: String
  /// The process that the cache runs in; nil for one of this program.
  package var process: ProcessSpec?
  /// The preset that the configuration names, nil for none.
  package var preset: String?
  /// Whether its policies are simulated. Where they are not, counts come from executing it in one
  /// thread.
  package var isSimulated: Bool
  /// Whether a real cache is driven.
  package var isExecuted: Bool

  /// A cell with its setup.
  package init(
    cell: Cell, setup: SimulationSetup, contender: String = ConfigurationSpec.defaultCache,
    preset: String? = nil, isSimulated: Bool = true, isExecuted: Bool = false,
    prefix: PromptOrder? = nil, layout: FlashLayout? = nil
  ) {
    self.cell = cell
    self.setup = setup
    self.prefix = prefix
    self.layout = layout
    self.contender = contender
    self.preset = preset
    self.isSimulated = isSimulated
    self.isExecuted = isExecuted
  }
}
