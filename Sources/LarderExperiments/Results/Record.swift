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
  /// What was found of the prefixes of prompts, a function of the cell; nil where they are not
  /// counted.
  public var prefix: PrefixCounts?
  /// What was written to flash, a function of the cell; nil for a cache without a disk, or whose
  /// capacity counts objects.
  public var flash: FlashCounts?
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

extension Record {
  /// Blocks of prompts that were prefix hits, as a share of the requests; nil where prefixes are
  /// not counted.
  public var prefixHitRatio: Double? {
    guard let prefix, counts.requests > 0 else { return nil }
    return Double(prefix.hits) / Double(counts.requests)
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
  /// The machine, in one line; nil for that of the run. Results that were merged have timings of
  /// several.
  public var machine: String?

  /// What ran.
  public typealias Mode = RunMode

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

extension Record {
  /// Whether the counts say what happened in the tiers: always, but for a bound, in which nothing
  /// happens, and a cache that was executed only and does not count it.
  public var knowsTiers: Bool {
    if PolicyRegistry.isBound(cell.policy) { return false }
    return !timings.isEmpty || (executions?.first?.countsTiers ?? true)
  }

  /// What was counted in the tiers; nil where it is not known.
  public func tierCounts(_ value: (Counts) -> UInt64) -> UInt64? {
    knowsTiers ? value(counts) : nil
  }
}

extension Counts {
  /// The first contradiction in counts that were read from a file, or nil. After this no computed
  /// property of them can trap.
  package var fault: String? {
    guard let hits = Self.sum(memoryHits, diskHits), hits <= requests else {
      return "more hits than requests"
    }
    guard let bytes = Self.sum(memoryBytesHit, diskBytesHit), bytes <= bytesRequested else {
      return "more bytes hit than requested"
    }
    let tiers: [KeyPath<TierCounts, UInt64>] = [
      \.admissions, \.rejections, \.evictions, \.expirations,
    ]
    for tier in tiers where Self.sum(memory[keyPath: tier], disk[keyPath: tier]) == nil {
      return "a sum over the tiers exceeds 64 bits"
    }
    return nil
  }

  private static func sum(_ left: UInt64, _ right: UInt64) -> UInt64? {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? nil : sum
  }
}
