import LarderEngine

/// The results of one cell: counts, which are a function of the cell, and timings, which are
/// measurements. The two are never mixed.
public struct Record: Sendable, Hashable, Codable {
  /// What was run.
  public var cell: Cell
  /// What happened.
  public var counts: Counts
  /// Distinct objects in the trace.
  public var objectsDistinct: UInt64
  /// Access time computed from the workload's latency model, when it has one. A function of the
  /// cell, like the counts.
  public var modelled: ModelledAccessTime?
  /// How long it took: one sample a repetition.
  public var timings: [Timing]
  /// What real caches did, one a number of threads and repetition; nil where none was driven.
  public var executions: [Execution]?

  /// A record; see the properties for the meaning of each part.
  public init(
    cell: Cell, counts: Counts, objectsDistinct: UInt64, modelled: ModelledAccessTime? = nil,
    timings: [Timing] = [], executions: [Execution]? = nil
  ) {
    self.cell = cell
    self.counts = counts
    self.objectsDistinct = objectsDistinct
    self.modelled = modelled
    self.timings = timings
    self.executions = executions
  }
}

/// Access time in microseconds as a latency model gives it: computed, not measured.
public struct ModelledAccessTime: Sendable, Hashable, Codable {
  /// Mean, microseconds.
  public var meanMicroseconds: Double
  /// Median, microseconds.
  public var p50Microseconds: Double
  /// 90th percentile, microseconds.
  public var p90Microseconds: Double
  /// 99th percentile, microseconds.
  public var p99Microseconds: Double

  /// The four figures.
  public init(
    meanMicroseconds: Double, p50Microseconds: Double, p90Microseconds: Double,
    p99Microseconds: Double
  ) {
    self.meanMicroseconds = meanMicroseconds
    self.p50Microseconds = p50Microseconds
    self.p90Microseconds = p90Microseconds
    self.p99Microseconds = p99Microseconds
  }
}

/// One timed run of a cell.
public struct Timing: Sendable, Hashable, Codable {
  /// Whether policies were simulated or real caches driven.
  public var mode: Mode
  /// Threads that drove the cell itself. A simulated cell always runs in one.
  public var threads: Int
  /// From 1.
  public var repetition: Int
  /// Requests of every operation processed while the clock ran, warm-up included.
  public var requests: UInt64
  /// Wall-clock seconds.
  public var seconds: Double
  /// Percentiles of the measured latency of single requests; nil where it was not measured.
  public var latency: MeasuredLatency?
  /// Memory of the cell's own state, divided by the distinct objects of the trace.
  public var memoryBytesPerObject: Double?

  /// What ran.
  public enum Mode: String, Sendable, Hashable, Codable, CaseIterable {
    /// Policies only, no keys and no values.
    case simulate
    /// Real caches.
    case execute
  }

  /// A timing; see the properties for the meaning of each part.
  public init(
    mode: Mode, threads: Int, repetition: Int, requests: UInt64, seconds: Double,
    latency: MeasuredLatency? = nil, memoryBytesPerObject: Double? = nil
  ) {
    self.mode = mode
    self.threads = threads
    self.repetition = repetition
    self.requests = requests
    self.seconds = seconds
    self.latency = latency
    self.memoryBytesPerObject = memoryBytesPerObject
  }

  /// Requests divided by seconds, or nil when no time passed.
  public var requestsPerSecond: Double? { seconds > 0 ? Double(requests) / seconds : nil }
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
