import LarderEngine
import LarderWorkloads

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
