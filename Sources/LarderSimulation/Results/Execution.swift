public import LarderEngine

/// One run of a cell through a real cache. What is counted with one thread is a function of the
/// cell; everything else is a measurement.
public struct Execution: Sendable, Hashable, Codable {
  /// Threads that drove the cache.
  public var threads: Int
  /// From 1.
  public var repetition: Int
  /// What happened after the warm-up. Where the cache does not count tiers, those are zero.
  public var counts: Counts
  /// Whether the cache counts what happens in its tiers.
  public var countsTiers: Bool
  /// Whether the counts are a simulation's, all of them; nil where there is none to compare with.
  public var equalsSimulated: Bool?
  /// Requests of the warm-up, of every operation, which are in none of the other figures but the
  /// number of values checked.
  public var warmUpRequests: UInt64
  /// Requests of every operation while the clock ran; warm-up excluded.
  public var requests: UInt64
  /// Wall-clock seconds for them, with generating and checking values.
  public var seconds: Double
  /// Of how many operations one was timed; 1 where all were.
  public var timedOneIn: Int
  /// Latency for each operation and place that answered, where at least one was timed.
  public var latencies: [OperationLatency]
  /// Latency of all gets together.
  public var getLatency: MeasuredLatency?
  /// Values read and checked.
  public var valuesChecked: UInt64
  /// Values among them that were not what was written.
  public var valuesWrong: UInt64
  /// Looks at what is resident against the capacity: after the warm-up, at each pressure, at the
  /// end.
  public var capacityChecks: UInt64
  /// How many of them found too much.
  public var capacityExceeded: UInt64
  /// Objects that `memoryBytesPerObject` is a mean over: resident in memory at the end, or, for a
  /// cache on disk alone, on disk; nil where they were not counted.
  public var residentObjects: UInt64?
  /// Bytes of memory for each object resident in memory at the end (for a cache on disk alone: on
  /// disk), by the allocator's count of the process before and after; nil where that cannot be had.
  /// A value is a `Data`, which has a header of its own; a hybrid's index of its disk is in it.
  public var memoryBytesPerObject: Double?
  /// Bytes of keys and values in it; nil where that is not known, or there are none.
  public var memoryPayloadBytesPerObject: Double?
  /// Bytes of the cache's files at the end.
  public var diskBytes: UInt64?
  /// Bytes that went to disk after the warm-up, by the cache's own count where it has one and else
  /// by the system's for the process (whole pages; nothing for files in memory).
  public var diskBytesWritten: UInt64?
  /// That divided by the bytes of values stored there.
  public var writeAmplification: Double?
  /// Bytes that were given to the system to write after the warm-up: by the cache's own count,
  /// which one thread repeats exactly, where it has one, and else by the system's of the process's
  /// calls.
  public var bytesWritten: UInt64?
  /// Files in the cache's folder at the end.
  public var files: UInt64?
  /// What else a reader must know.
  public var notes: [String]

  /// A run of which only the beginning is known.
  public init(threads: Int, repetition: Int) {
    self.threads = threads
    self.repetition = repetition
    counts = Counts()
    countsTiers = true
    warmUpRequests = 0
    requests = 0
    seconds = 0
    timedOneIn = 1
    latencies = []
    valuesChecked = 0
    valuesWrong = 0
    capacityChecks = 0
    capacityExceeded = 0
    notes = []
  }
}

/// Latency of one kind of operation, by where it was answered.
public struct OperationLatency: Sendable, Hashable, Codable {
  /// What was measured.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A get that memory, or disk, answered; and one that nothing did, with fetch and fill.
    case memoryHit = "memory-hit"
    case diskHit = "disk-hit"
    case miss
    /// The workload's own writes and deletes.
    case set
    case delete
  }

  /// What was measured.
  public var kind: Kind
  /// How many there were, timed or not.
  public var count: UInt64
  /// Their latency.
  public var latency: MeasuredLatency

  /// Latency of one kind.
  public init(kind: Kind, count: UInt64, latency: MeasuredLatency) {
    self.kind = kind
    self.count = count
    self.latency = latency
  }
}
