import LarderEngine
import LarderPolicies

/// Results of one cell: counts, which are a function of the cell, and timings, which are
/// measurements.
public struct Record: Sendable, Hashable, Codable {
  /// The cell.
  public var cell: Cell
  /// Counts of the cell.
  public var counts: Counts
  /// Number of distinct objects in the trace.
  public var objectsDistinct: UInt64
  /// Access time computed from the workload's latency model, if it has one.
  public var modelled: ModelledAccessTime?
  /// Prefix hits of prompts, a function of the cell; nil if they are not counted.
  public var prefix: PrefixCounts?
  /// Writes to flash, a function of the cell; nil for a cache without a disk, or with a capacity in
  /// objects.
  public var flash: FlashCounts?
  /// Course of a policy that chooses among others, a function of the cell; nil for other policies.
  public var course: ChoiceCourse?
  /// Hit ratios in up to 100 parts of the counted requests, in per mille, between blanks; nil for a
  /// short trace.
  public var hitRatios: String?
  /// Timings, one per repetition.
  public var timings: [Timing]
  /// Results of real caches, one per number of threads and repetition; nil if none was driven.
  public var executions: [Execution]?

  package init(
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

/// Access time in microseconds from a latency model: computed, not measured.
public struct ModelledAccessTime: Sendable, Hashable, Codable {
  /// Mean in microseconds.
  public var meanMicroseconds: Double
  /// Median in microseconds.
  public var p50Microseconds: Double
  /// 90th percentile in microseconds.
  public var p90Microseconds: Double
  /// 99th percentile in microseconds.
  public var p99Microseconds: Double
}

/// Course of a cell whose policy chooses among others (`auto`): the hits and the policy in charge,
/// in parts of the counted requests.
public struct ChoiceCourse: Sendable, Hashable, Codable {
  /// The policies with their parameters.
  public var policies: [String]
  /// Changes of the policy in charge, including those of the warm-up.
  public var switches: Int
  /// Parts of equal numbers of requests, in order.
  public var parts: [Part]

  /// A part of the counted requests.
  public struct Part: Sendable, Hashable, Codable {
    /// Gets.
    public var requests: UInt64
    /// Gets that were hits.
    public var hits: UInt64
    /// Index of the policy in charge at the end of the part.
    public var leading: Int
  }

  package static let partsMax = 100

  static func perMille(_ parts: [Part]) -> String? {
    let ratios = parts.map { "\(($0.hits * 2000 + $0.requests) / ($0.requests * 2))" }
    return ratios.isEmpty ? nil : ratios.joined(separator: " ")
  }

  package var fault: String? {
    if parts.contains(where: { !policies.indices.contains($0.leading) }) {
      return "a course with a policy that it does not list"
    }
    return parts.contains { $0.hits > $0.requests } ? "a course with more hits than requests" : nil
  }
}

extension Record {
  /// Prefix hits of prompts in blocks, as a share of the requests; nil if prefixes are not counted.
  public var prefixHitRatio: Double? {
    guard let prefix, counts.requests > 0 else { return nil }
    return Double(prefix.hits) / Double(counts.requests)
  }
}

/// One timed run of a cell.
public struct Timing: Sendable, Hashable, Codable {
  /// Mode of the run: simulated policies or real caches.
  public var mode: Mode
  /// Number of threads that drove the cell itself.
  public var threads: Int
  /// Number of the repetition, from 1.
  public var repetition: Int
  /// Number of timed requests of all operations; with the warm-up if simulated.
  public var requests: UInt64
  /// Wall-clock seconds.
  public var seconds: Double
  /// Percentiles of the measured latency of single requests; nil if not measured.
  public var latency: MeasuredLatency?
  /// Bytes of the cell's own state per distinct object of the trace.
  public var memoryBytesPerObject: Double?
  /// Machine in one line; nil for that of the run.
  public var machine: String?

  /// Mode of a run.
  public typealias Mode = RunMode

  package init(
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

  /// Requests divided by seconds, or nil if no time passed.
  public var requestsPerSecond: Double? { seconds > 0 ? Double(requests) / seconds : nil }
}

extension Record {
  /// True if the counts include those of tiers: always, except for a bound, which has no tiers, and
  /// a cache that was only executed and does not count them.
  public var knowsTiers: Bool {
    if PolicyRegistry.isBound(cell.policy) { return false }
    return !timings.isEmpty || (executions?.first?.countsTiers ?? true)
  }

  /// Count of events in the tiers; nil if unknown.
  public func tierCounts(_ value: (Counts) -> UInt64) -> UInt64? {
    knowsTiers ? value(counts) : nil
  }
}

extension Counts {
  package var fault: String? {
    guard let hits = Self.sum(memoryHits, diskHits), hits <= requests else {
      return "more hits than requests"
    }
    if let time, time.delayedHits > requests - hits { return "more delayed hits than misses" }
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
