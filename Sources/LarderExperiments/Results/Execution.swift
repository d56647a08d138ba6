import Larder
public import LarderEngine
import LarderSupport

/// One run of a cell through a real cache.
public struct Execution: Sendable, Hashable, Codable {
  /// Number of threads that drove the cache.
  public var threads: Int
  /// Number of the repetition, from 1.
  public var repetition: Int
  /// Counts after the warm-up.
  public var counts = Counts()
  /// True if the cache counts events in its tiers.
  public var countsTiers = true
  /// True if all counts equal those of a simulation; nil if there is none to compare with.
  public var equalsSimulated: Bool?
  /// Number of requests of the warm-up, of all operations.
  public var warmUpRequests: UInt64 = 0
  /// Number of timed requests of all operations, without the warm-up.
  public var requests: UInt64 = 0
  /// Wall-clock seconds of the timed requests, including generating and checking values.
  public var seconds = 0.0
  /// Sampling interval of timed operations; 1 if all were timed.
  public var timedOneIn = 1
  /// Latencies by operation and answering tier, if at least one was timed.
  public var latencies: [OperationLatency] = []
  /// Latency of all gets.
  public var getLatency: MeasuredLatency?
  /// Number of values read and checked.
  public var valuesChecked: UInt64 = 0
  /// Number of checked values that differ from those written.
  public var valuesWrong: UInt64 = 0
  /// Number of checks of the resident size against the capacity: after the warm-up, after memory
  /// pressure, at the end.
  public var capacityChecks: UInt64 = 0
  /// Number of checks that found too much.
  public var capacityExceeded: UInt64 = 0
  /// Number of objects in the mean of `memoryBytesPerObject`: entries of all tiers at the end, so
  /// that one in memory and on disk counts twice; nil if not counted.
  public var residentObjects: UInt64?
  /// Bytes of memory per entry of all tiers at the end, by the allocator's count of the process
  /// before and after; nil if unavailable.
  public var memoryBytesPerObject: Double?
  /// Bytes of keys and values in `memoryBytesPerObject`; nil if unknown, or without objects.
  public var memoryPayloadBytesPerObject: Double?
  /// Bytes of the cache's files at the end.
  public var diskBytes: UInt64?
  /// Bytes written to disk after the warm-up, by the cache's own count if available, otherwise by
  /// the system's count for the process (whole pages; 0 for files in memory).
  public var diskBytesWritten: UInt64?
  /// `diskBytesWritten` divided by the bytes of stored values.
  public var writeAmplification: Double?
  /// Bytes passed to write calls after the warm-up, by the cache's own count if available, which is
  /// reproducible with one thread, otherwise by the system's count of the process's calls.
  public var bytesWritten: UInt64?
  /// Number of files in the cache's folder at the end.
  public var files: UInt64?
  /// The server's own statistics at the end; nil for other caches.
  public var server: ServerState?
  /// Further notes for readers.
  public var notes: [String] = []

  package init(threads: Int, repetition: Int) {
    (self.threads, self.repetition) = (threads, repetition)
  }
}

/// Statistics of a server, by its own count since it was started; nil where it has none.
public struct ServerState: Sendable, Hashable, Codable {
  /// Name and version, such as `Redis 7.0.15`.
  public var version: String
  /// Entries that it holds.
  public var entries: UInt64?
  /// Bytes in use.
  public var bytes: UInt64?
  /// Requests that were hits.
  public var hits: UInt64?
  /// Entries evicted.
  public var evictions: UInt64?
  /// Capacity that it is set to, in bytes.
  public var capacity: UInt64?

  package init(
    version: String, entries: UInt64? = nil, bytes: UInt64? = nil, hits: UInt64? = nil,
    evictions: UInt64? = nil, capacity: UInt64? = nil
  ) {
    (self.version, self.entries, self.bytes) = (version, entries, bytes)
    (self.hits, self.evictions, self.capacity) = (hits, evictions, capacity)
  }
}

/// Latency of one kind of operation, by answering tier.
public struct OperationLatency: Sendable, Hashable, Codable {
  /// Kind of operation.
  public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
    case memoryHit = "memory-hit"
    case diskHit = "disk-hit"
    case miss
    case set
    case delete
  }

  /// Kind of operation.
  public var kind: Kind
  /// Number of operations, timed or not.
  public var count: UInt64
  /// Latency of the timed operations.
  public var latency: MeasuredLatency

  package init(kind: Kind, count: UInt64, latency: MeasuredLatency) {
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
  /// Maximum.
  public var max: UInt64

  package init(p50: UInt64, p90: UInt64, p99: UInt64, p999: UInt64, max: UInt64) {
    self.p50 = p50
    self.p90 = p90
    self.p99 = p99
    self.p999 = p999
    self.max = max
  }
}

/// Conditions of the execution of real caches, in words for a report.
public struct ExecutionConditions: Sendable, Hashable, Codable {
  /// Number of cells to execute.
  public var cells: Int
  /// Numbers of threads, in separate runs.
  public var threads: [Int]
  /// Number of runs per number of threads.
  public var repetitions: Int = 1
  /// Schedule of requests.
  public var load: String
  /// Handling of the origin's latency.
  public var origin: String
  /// Verification of values that were read.
  public var verification: String
  /// State of the page cache.
  public var pageCache: String
  /// Durability of a disk tier; nil without one.
  public var durability: String?
  /// Hash function and number of shards in memory; nil without a memory tier.
  public var memory: String?
  /// Memory pressure during the run; nil for none.
  public var pressure: String?
}

extension ExecutionConditions {
  package init?(
    _ spec: ExecutionSpec, cells: [PlannedCell], repetitions: Int, hasLatency: Bool
  ) {
    let executed = cells.filter(\.isExecuted)
    guard !executed.isEmpty else { return nil }
    let kinds = Set(executed.map(\.cell.kind))
    let loads = Set(executed.map { ($0.server?.paced(spec.load) ?? spec.load).description })
    self.init(
      cells: executed.count, threads: spec.threads, repetitions: repetitions,
      load: loads.sorted().joined(separator: "; "),
      origin: spec.origin.description(hasLatency: hasLatency),
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
  var description: String {
    switch self {
    case .closed: "closed loop: each thread issues a request when the previous one is complete"
    case .trace(let speed):
      "open loop at the trace's times, \(speed) times as fast; latency counts from the scheduled "
        + "start"
    case .rate(let rate):
      "open loop, \(NumberText.trimmed(rate, decimals: 3))/s; latency counts from the planned start"
    }
  }
}

extension ExecutionSpec.OriginTime {
  func description(hasLatency: Bool) -> String {
    guard hasLatency else { return "no latency: the workload has no latency model" }
    return switch self {
    case .virtual: "latency is added to misses without waiting"
    case .wait: "misses wait for that latency"
    }
  }
}

extension ExecutionSpec.Verification {
  var description: String {
    switch self {
    case .all: "key, version, length and content of every value read"
    case .header: "key, version and length of every value read"
    case .none: "nothing"
    }
  }
}

extension ExecutionSpec.PageCache {
  var description: String {
    switch self {
    case .warm: "as left by the warm-up and the run"
    case .dropped: "dropped for the caches' files after the warm-up"
    }
  }
}
