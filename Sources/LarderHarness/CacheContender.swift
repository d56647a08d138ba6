public import LarderEngine
import LarderWorkloads

/// A kind of cache that a workload can name, as in `cache: nscache`.
public struct CacheContender: Sendable {
  /// The name in workload files and results.
  public var name: String
  /// What it is, in one line.
  public var summary: String
  /// The shapes that it can have.
  public var kinds: Set<ConfigurationKind>
  /// Whether it runs the workload's policies, so that a simulation tells its counts beforehand. One
  /// that does not has its own policy, and is run once for each capacity.
  public var runsPolicies: Bool
  /// Makes an empty one.
  public var make: @Sendable (CacheSetup) throws -> any CacheUnderTest

  /// A contender; see the properties for the meaning of each part.
  public init(
    name: String, summary: String, kinds: Set<ConfigurationKind>, runsPolicies: Bool = false,
    make: @escaping @Sendable (CacheSetup) throws -> any CacheUnderTest
  ) {
    self.name = name
    self.summary = summary
    self.kinds = kinds
    self.runsPolicies = runsPolicies
    self.make = make
  }
}

/// What a cache under test is made from.
public struct CacheSetup: Sendable {
  /// Tiers, policies, capacities, limits, rules, unit and seed: what a simulation of it would get.
  public var simulation: SimulationSetup
  /// The preset that the configuration names, for what a simulation does not know.
  public var preset: String?
  /// The command of a cache in a process of its own.
  var process: ProcessSpec?
  /// How it is driven.
  public var execution: ExecutionSpec
  /// Threads that will call it.
  public var threads: Int
  /// An empty folder for its files, which the harness removes.
  public var folder: String
  /// The time: the trace's, moved on by the harness before each request.
  public var clock: TraceClock

  /// A setup; see the properties for the meaning of each part.
  public init(
    simulation: SimulationSetup, preset: String? = nil, execution: ExecutionSpec, threads: Int,
    folder: String, clock: TraceClock
  ) {
    self.simulation = simulation
    self.preset = preset
    self.execution = execution
    self.threads = threads
    self.folder = folder
    self.clock = clock
  }
}

extension CacheSetup {
  /// What memory may hold, in the workload's unit: for a cache of one tier, all that it may hold.
  public var memoryCapacity: UInt64 {
    switch simulation.arrangement {
    case .memory(let tier), .disk(let tier): tier.capacity
    case .hybrid(let memory, _, _): memory.capacity
    }
  }
}
