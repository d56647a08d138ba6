public import Larder
public import LarderEngine

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
