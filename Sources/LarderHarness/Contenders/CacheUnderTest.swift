public import Larder
public import LarderEngine
import LarderExperiments
import Synchronization

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A cache that workloads can be run against: conform one of your own, and `larder run` measures it
/// beside the others (`Examples/OwnCache` shows how).
///
/// The harness calls `get`; on a miss it fetches from its origin and calls `fill`. `set` and
/// `remove` are the workload's own writes and deletes. Calls come from as many threads as the
/// workload says, at the same time; with one thread they come in the order of the trace.
public protocol CacheUnderTest: Sendable {
  /// The value of a key and where it was, or nil: a miss. A reference to it.
  func get(_ key: UInt64) throws -> CacheAnswer?

  /// Stores what the origin gave after a miss. By default what `set` does.
  func fill(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws

  /// Stores a value over whatever there is.
  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws

  /// Removes a key.
  func remove(_ key: UInt64) throws

  /// Gives what a key has another time to live from now on, that of `options`, without counting it
  /// as used; nothing where it has none. By default a `get`, and a `set` of what it returned.
  func expire(_ key: UInt64, _ options: CacheWriteOptions) throws

  /// The system is short of memory. By default nothing.
  func handle(_ pressure: MemoryPressureLevel)

  /// What the cache holds now; what it cannot say is nil. By default it says nothing.
  func usage() throws -> CacheUsage

  /// What the cache has counted in a simulation's terms since it was made or `resetCounts`; nil
  /// where it cannot say, as by default. Hits are counted by the harness.
  func tierCounts() -> CacheTierCounts?

  /// Sets `tierCounts` to zero: the end of the warm-up.
  func resetCounts()

  /// Writes out what is held back.
  func flush() throws

  /// Ends the cache; it is not called again.
  func close() throws
}

extension CacheUnderTest {
  /// What `set` does.
  public func fill(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    try set(value, for: key, options)
  }
  /// Reads the value and stores it again.
  public func expire(_ key: UInt64, _ options: CacheWriteOptions) throws {
    if let answer = try get(key) { try set(answer.value, for: key, options) }
  }
  /// Nothing.
  public func handle(_ pressure: MemoryPressureLevel) {}
  /// It cannot say.
  public func usage() throws -> CacheUsage { CacheUsage() }
  /// It cannot say.
  public func tierCounts() -> CacheTierCounts? { nil }
  /// Nothing is counted.
  public func resetCounts() {}
  /// Nothing is held back.
  public func flush() throws {}
  /// Nothing to end.
  public func close() throws {}
}

/// What a get found.
public struct CacheAnswer: Sendable {
  /// Which tier answered.
  public enum Tier: String, Sendable, Hashable, Codable, CaseIterable {
    case memory, disk
  }

  /// The bytes that were stored.
  public var value: Data
  /// Which tier answered.
  public var tier: Tier

  /// An answer, from memory unless it says otherwise.
  public init(_ value: Data, from tier: Tier = .memory) {
    self.value = value
    self.tier = tier
  }
}

/// What is said of a value when it is stored.
public struct CacheWriteOptions: Sendable, Hashable {
  /// The entry's own life in microseconds; 0 for none.
  public var timeToLiveMicroseconds: UInt64
  /// What fetching the value costs.
  public var fetchCost: Float
  /// What the value weighs against the capacity: its bytes, or 1 where that counts objects.
  public var weight: UInt32

  /// Options; see the properties for the meaning of each.
  public init(timeToLiveMicroseconds: UInt64 = 0, fetchCost: Float = 1, weight: UInt32 = 1) {
    self.timeToLiveMicroseconds = timeToLiveMicroseconds
    self.fetchCost = fetchCost
    self.weight = weight
  }
}

/// What a cache holds at a moment. What it cannot say is nil.
public struct CacheUsage: Sendable, Hashable {
  /// Entries in memory.
  public var memoryEntries: Int?
  /// Sum of their weights.
  public var memoryWeight: UInt64?
  /// Entries on disk.
  public var diskEntries: Int?
  /// Sum of their weights.
  public var diskWeight: UInt64?
  /// Bytes of all its files.
  public var diskBytes: UInt64?
  /// Bytes of memory that it has for keys, values and all that it knows of them.
  public var memoryBytes: UInt64?
  /// Bytes written to disk since `resetCounts`, with everything that is written beside the values;
  /// nil leaves it to the system's count.
  public var bytesWritten: UInt64?
  /// Bytes that the cache has given the system to write since `resetCounts`, by a count of its own
  /// that one build repeats exactly; nil leaves it to the system's count of the process's calls.
  public var bytesHandedOver: UInt64?

  /// Nothing is known.
  public init() {}
}

/// What a cache has counted in a simulation's terms.
public struct CacheTierCounts: Sendable, Hashable {
  /// What happened in memory.
  public var memory = TierCounts()
  /// What happened on disk.
  public var disk = TierCounts()
  /// Copies made from disk to memory.
  public var promotions: UInt64 = 0
  /// Objects moved from memory to disk.
  public var demotions: UInt64 = 0

  /// Nothing has happened.
  public init() {}
}

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

/// The time as the trace has it. Threads move it on as they go; it never goes back.
public final class TraceClock: CacheClock {
  private let time = Atomic<UInt64>(0)

  /// The beginning of time.
  public init() {}

  /// The latest instant that any thread has come to.
  public var now: CacheInstant {
    CacheInstant(microseconds: time.load(ordering: .relaxed))
  }

  /// Moves the time on to an instant in microseconds, unless it is beyond it already.
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
