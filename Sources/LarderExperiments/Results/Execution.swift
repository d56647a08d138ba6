import Larder
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

/// Percentiles of measured latencies, in nanoseconds.
public struct MeasuredLatency: Sendable, Hashable, Codable {
  /// Median.
  public var p50: UInt64
  /// 90th percentile.
  public var p90: UInt64
  /// 99th percentile.
  public var p99: UInt64
  /// 99.9th percentile.
  public var p999: UInt64
  /// Largest.
  public var max: UInt64

  /// The five figures.
  public init(p50: UInt64, p90: UInt64, p99: UInt64, p999: UInt64, max: UInt64) {
    self.p50 = p50
    self.p90 = p90
    self.p99 = p99
    self.p999 = p999
    self.max = max
  }
}

/// How real caches were driven, in words for a report.
public struct ExecutionConditions: Sendable, Hashable, Codable {
  /// Cells that were to be executed.
  public var cells: Int
  /// Numbers of threads, each on its own.
  public var threads: [Int]
  /// Runs for each number of threads.
  public var repetitions: Int
  /// When requests were made.
  public var load: String
  /// What became of the origin's latency.
  public var origin: String
  /// What was checked of the values that were read.
  public var verification: String
  /// What the page cache held.
  public var pageCache: String
  /// What outlives a crash of a disk tier; nil where there is none.
  public var durability: String?
  /// How memory hashes keys, and in how many parts; nil where there is none.
  public var memory: String?
  /// Memory pressure on the way; nil for none.
  public var pressure: String?

  /// Conditions; see the properties for the meaning of each part.
  public init(
    cells: Int, threads: [Int], repetitions: Int = 1, load: String, origin: String,
    verification: String, pageCache: String, durability: String? = nil, memory: String? = nil,
    pressure: String? = nil
  ) {
    self.cells = cells
    self.threads = threads
    self.repetitions = repetitions
    self.load = load
    self.origin = origin
    self.verification = verification
    self.pageCache = pageCache
    self.durability = durability
    self.memory = memory
    self.pressure = pressure
  }
}

extension ExecutionConditions {
  /// The conditions of those of `cells` that are executed; nil when none is.
  package init?(
    _ spec: ExecutionSpec, cells: [PlannedCell], repetitions: Int, hasLatency: Bool
  ) {
    let executed = cells.filter(\.isExecuted)
    guard !executed.isEmpty else { return nil }
    let kinds = Set(executed.map(\.cell.kind))
    self.init(
      cells: executed.count, threads: spec.threads, repetitions: repetitions,
      load: spec.load.description, origin: spec.origin.description(hasLatency: hasLatency),
      verification: spec.verification.description, pageCache: spec.pageCache.description,
      durability: kinds == [.memory]
        ? nil
        : "\(spec.durability.rawValue); values of up to \(spec.inlineBytesMax) bytes in the "
          + "database, larger ones in files",
      memory: kinds == [.disk] ? nil : Self.memory(spec),
      pressure: spec.pressure.isEmpty
        ? nil
        : spec.pressure.map { "\($0.level) after \($0.at) of the requests" }
          .joined(separator: ", "))
  }

  private static func memory(_ spec: ExecutionSpec) -> String {
    let hashing =
      switch spec.hashing {
      case .standard: "keys hashed with Swift's Hasher"
      case .fast, .seeded: "keys hashed with the fast seeded hash"
      }
    let shards = spec.shards.map { "\($0) shards" } ?? "the default number of shards"
    return "\(hashing); one shard with one thread, otherwise \(shards)"
  }
}

extension ExecutionSpec.Load {
  /// The load in words.
  var description: String {
    switch self {
    case .closed: "closed loop: each thread issues a request when the previous one is complete"
    case .trace(let speed):
      "open loop at the trace's times, \(speed) times as fast; latency counts from the scheduled "
        + "start"
    case .rate(let rate):
      "open loop with \(rate) requests per second; latency counts from the scheduled start"
    }
  }
}

extension ExecutionSpec.OriginTime {
  /// What becomes of the origin's latency, in words.
  func description(hasLatency: Bool) -> String {
    guard hasLatency else { return "no latency: the workload has no latency model" }
    return switch self {
    case .virtual: "latency is added to misses without waiting"
    case .wait: "misses wait for the latency"
    }
  }
}

extension ExecutionSpec.Verification {
  /// What is checked, in words.
  var description: String {
    switch self {
    case .all: "key, version, length and content of every value read"
    case .header: "key, version and length of every value read"
    case .none: "nothing"
    }
  }
}

extension ExecutionSpec.PageCache {
  /// The page cache's state, in words.
  var description: String {
    switch self {
    case .warm: "as the warm-up and the run leave it"
    case .dropped: "without the caches' files after the warm-up"
    }
  }
}
