import LarderEngine

/// The smallest unit of work, and the key of its results.
public struct Cell: Sendable, Hashable, Codable {
  /// Name of the workload.
  public var workload: String
  /// Name of the trace or generator.
  public var trace: String
  /// `memory`, `disk`, `hybrid`, or the workload's own name of a configuration.
  public var configuration: String
  /// Kind of the configuration.
  public var kind: ConfigurationKind
  /// Policy as the user named it; for a hybrid, memory's and disk's joined by `+`.
  public var policy: String
  /// Capacity in `unit`; for a hybrid, that of the disk tier.
  public var capacity: UInt64
  /// Capacity as written, such as `1%`.
  public var capacityLabel: String
  /// Capacity of a hybrid's memory tier, in `unit`; nil for other kinds.
  public var memoryCapacity: UInt64?
  /// Unit of the capacity.
  public var unit: CapacityUnit
  /// Seed of the workload's generator and of random policies.
  public var seed: UInt64
  /// Admission filter as the user named it, nil for none; for a hybrid with one, memory's and
  /// disk's joined by `+`.
  public var admission: String?
}

extension Cell {
  /// Short name of the cache: its configuration and, unless included there, its policy.
  public var cacheName: String { configuration == policy ? policy : "\(configuration): \(policy)" }
}

/// Kinds of caches.
public enum ConfigurationKind: String, Sendable, Hashable, Codable, CaseIterable {
  case memory
  case disk
  case hybrid
}

/// A cell with everything that is needed to run it.
package struct PlannedCell: Sendable, Hashable {
  package var cell: Cell
  package var setup: SimulationSetup
  package var contender: String = ConfigurationSpec.defaultCache
  package var preset: String?
  /// Otherwise counts come from executing it in one thread.
  package var isSimulated: Bool = true
  package var isExecuted: Bool = false
  package var prefix: PromptOrder?
  package var layout: FlashLayout?
  package var countsTime = false
  package var process: ProcessSpec?
  package var server: ServerSpec?
}
