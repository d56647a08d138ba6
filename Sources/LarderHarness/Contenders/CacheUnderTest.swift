public import Larder
public import LarderEngine
import LarderExperiments
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A cache that workloads can be run against. Conform your own cache to it, and `larder run`
/// measures it together with the others (see `Examples/OwnCache`).
///
/// The harness calls `get`; on a miss it fetches from its origin and calls `fill`. `set` and
/// `remove` are the workload's own writes and deletes. Calls come concurrently from as many threads
/// as the workload specifies; with one thread they come in the order of the trace.
public protocol CacheUnderTest: Sendable {
  /// Returns the value of a key and its tier, or nil for a miss. Counts as an access.
  func get(_ key: UInt64) throws -> CacheAnswer?

  /// Stores a value fetched from the origin after a miss. Calls `set` by default.
  func fill(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws

  /// Stores a value, replacing any existing one.
  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws

  /// Removes a key.
  func remove(_ key: UInt64) throws

  /// Restarts the TTL of a resident key with that of `options`, without counting as an access; does
  /// nothing for a missing key. By default a `get`, and a `set` of its result.
  func expire(_ key: UInt64, _ options: CacheWriteOptions) throws

  /// Responds to memory pressure of the system. Does nothing by default.
  func handle(_ pressure: MemoryPressureLevel)

  /// Returns the current contents of the cache; unknown numbers are nil. All are nil by default.
  func usage() throws -> CacheUsage

  /// Returns the counts since creation or `resetCounts`, in the terms of a simulation; nil, the
  /// default, if the cache does not count. The harness counts hits itself.
  func tierCounts() -> CacheTierCounts?

  /// Sets `tierCounts` to zero at the end of the warm-up.
  func resetCounts()

  /// Writes out pending data.
  func flush() throws

  /// Closes the cache; it is not called again.
  func close() throws
}

extension CacheUnderTest {
  /// Calls `set`.
  public func fill(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    try set(value, for: key, options)
  }
  /// Reads the value and stores it again.
  public func expire(_ key: UInt64, _ options: CacheWriteOptions) throws {
    if let answer = try get(key) { try set(answer.value, for: key, options) }
  }
  /// Does nothing by default.
  public func handle(_ pressure: MemoryPressureLevel) {}
  /// Returns no numbers by default.
  public func usage() throws -> CacheUsage { CacheUsage() }
  /// Defaults to nil.
  public func tierCounts() -> CacheTierCounts? { nil }
  /// Does nothing by default.
  public func resetCounts() {}
  /// Does nothing by default.
  public func flush() throws {}
  /// Does nothing by default.
  public func close() throws {}
}

/// The result of a hit.
public struct CacheAnswer: Sendable {
  /// The tier that answered.
  public enum Tier: String, Sendable, Hashable, Codable, CaseIterable {
    case memory, disk
  }

  /// The stored bytes.
  public var value: Data
  /// The tier that answered.
  public var tier: Tier

  /// Creates an answer, from memory by default.
  public init(_ value: Data, from tier: Tier = .memory) {
    self.value = value
    self.tier = tier
  }
}

/// Options of a value to be stored.
public struct CacheWriteOptions: Sendable, Hashable {
  /// The entry's own TTL in microseconds; 0 for none.
  public var timeToLiveMicroseconds: UInt64
  /// The cost of fetching the value.
  public var fetchCost: Float
  /// The weight against the capacity: the bytes of the value, or 1 if the capacity counts objects.
  public var weight: UInt32

  /// Creates options; see the properties.
  public init(timeToLiveMicroseconds: UInt64 = 0, fetchCost: Float = 1, weight: UInt32 = 1) {
    self.timeToLiveMicroseconds = timeToLiveMicroseconds
    self.fetchCost = fetchCost
    self.weight = weight
  }
}

/// The current contents of a cache. Unknown numbers are nil.
public struct CacheUsage: Sendable, Hashable {
  /// Entries in memory.
  public var memoryEntries: Int?
  /// Sum of the weights in memory.
  public var memoryWeight: UInt64?
  /// Entries on disk.
  public var diskEntries: Int?
  /// Sum of the weights on disk.
  public var diskWeight: UInt64?
  /// Bytes of all files of the cache.
  public var diskBytes: UInt64?
  /// Bytes written to disk since `resetCounts`, including metadata; nil to use the system's count.
  public var bytesWritten: UInt64?
  /// Bytes passed to the system's write calls since `resetCounts`, by a count that is exactly
  /// reproducible for one build; nil to use the system's count for the process.
  public var bytesHandedOver: UInt64?

  /// Creates a usage without numbers.
  public init() {}
}

/// The counts of a cache, in the terms of a simulation.
public struct CacheTierCounts: Sendable, Hashable {
  /// The counts of the memory tier.
  public var memory = TierCounts()
  /// The counts of the disk tier.
  public var disk = TierCounts()
  /// Copies from disk to memory.
  public var promotions: UInt64 = 0
  /// Objects moved from memory to disk.
  public var demotions: UInt64 = 0

  /// Creates counts; see the properties.
  public init(
    memory: TierCounts = TierCounts(), disk: TierCounts = TierCounts(), promotions: UInt64 = 0,
    demotions: UInt64 = 0
  ) {
    (self.memory, self.disk) = (memory, disk)
    (self.promotions, self.demotions) = (promotions, demotions)
  }
}

/// A kind of cache that a workload can name, as in `cache: nscache`.
public struct CacheContender: Sendable {
  /// The name in workload files and results.
  public var name: String
  /// A one-line description.
  public var summary: String
  /// The supported configurations.
  public var kinds: Set<ConfigurationKind>
  /// True if the cache runs the workload's policies, so that a simulation predicts its counts. A
  /// cache with its own policy is run once for each capacity.
  public var runsPolicies: Bool
  /// Creates an empty cache.
  public var make: @Sendable (CacheSetup) throws -> any CacheUnderTest

  /// Creates a kind of cache; see the properties.
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

/// The parameters of a cache under test.
public struct CacheSetup: Sendable {
  /// Tiers, policies, capacities, limits, rules, unit and seed, as for a simulation of the cache.
  public var simulation: SimulationSetup
  /// The preset that the configuration names, for settings that a simulation does not know.
  public var preset: String?
  var process: ProcessSpec?
  var server: ServerSpec?
  /// The load.
  public var execution: ExecutionSpec
  /// Threads that will call the cache.
  public var threads: Int
  /// An empty folder for files of the cache, which the harness removes.
  public var folder: String
  /// The clock: the trace's time, which the harness advances before each request.
  public var clock: TraceClock

  /// Creates a setup; see the properties.
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
  /// The capacity of memory in the workload's unit; the whole capacity for a cache of one tier.
  public var memoryCapacity: UInt64 {
    switch simulation.arrangement {
    case .memory(let tier), .disk(let tier): tier.capacity
    case .hybrid(let memory, _, _): memory.capacity
    }
  }
}

/// A clock with the time of the trace. Threads advance it; it never goes back.
public final class TraceClock: CacheClock {
  private let time = Atomic<UInt64>(0)

  /// Creates a clock at time 0.
  public init() {}

  /// The latest instant that any thread has reached.
  public var now: CacheInstant { CacheInstant(microseconds: time.load(ordering: .relaxed)) }

  /// Advances to an instant in microseconds, unless the clock is already beyond it.
  public func advance(to instant: UInt64) {
    // Not `Atomic.max`, which compares unsigned numbers as signed ones in Swift 6.3.
    var latest = time.load(ordering: .relaxed)
    while instant > latest {
      let (isDone, found) = time.compareExchange(
        expected: latest, desired: instant, ordering: .relaxed)
      if isDone { return }
      latest = found
    }
  }
}
