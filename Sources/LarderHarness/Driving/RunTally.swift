import Histogram
import LarderExperiments

/// The counts of one thread.
struct RunTally: Sendable, Hashable {
  var requests: UInt64 = 0
  var memoryHits: UInt64 = 0
  var diskHits: UInt64 = 0
  var bytesRequested: UInt64 = 0
  var memoryBytesHit: UInt64 = 0
  var diskBytesHit: UInt64 = 0
  var staleHits: UInt64 = 0
  var sets: UInt64 = 0
  var deletes: UInt64 = 0
  /// Sums of the costs of gets and of hits: see `CostCounts`.
  var costRequested = 0.0
  var costSaved = 0.0
  /// Changes at the origin that the cache does not receive.
  var modifies: UInt64 = 0
  var valuesChecked: UInt64 = 0
  var valuesWrong: UInt64 = 0
  /// Values given to the cache to store, and their bytes.
  var valuesGiven: UInt64 = 0
  var bytesGiven: UInt64 = 0

  /// Adds the counts of another thread.
  mutating func add(_ other: RunTally) {
    requests += other.requests
    memoryHits += other.memoryHits
    diskHits += other.diskHits
    bytesRequested += other.bytesRequested
    memoryBytesHit += other.memoryBytesHit
    diskBytesHit += other.diskBytesHit
    staleHits += other.staleHits
    sets += other.sets
    deletes += other.deletes
    costRequested += other.costRequested
    costSaved += other.costSaved
    modifies += other.modifies
    valuesChecked += other.valuesChecked
    valuesWrong += other.valuesWrong
    valuesGiven += other.valuesGiven
    bytesGiven += other.bytesGiven
  }

  func count(_ kind: OperationLatency.Kind) -> UInt64 {
    switch kind {
    case .memoryHit: memoryHits
    case .diskHit: diskHits
    case .miss: requests - memoryHits - diskHits
    case .set: sets
    case .delete: deletes
    }
  }

  var operations: UInt64 { requests + sets + deletes + modifies }
}

/// The latencies of one thread: a histogram for each kind of operation.
///
/// HdrHistogram (Tene) with three digits: percentiles are within 0.1 %. The range is a nanosecond
/// to 18 minutes; longer times count as its end.
struct LatencyRecorder: Sendable {
  private static var longest: UInt64 { 1 << 40 }

  private var memoryHit = Self.histogram
  private var diskHit = Self.histogram
  private var miss = Self.histogram
  private var set = Self.histogram
  private var delete = Self.histogram

  private static var histogram: Histogram<UInt32> {
    Histogram(highestTrackableValue: longest, numberOfSignificantValueDigits: .three)
  }

  @inline(__always) mutating func record(_ kind: OperationLatency.Kind, _ nanoseconds: UInt64) {
    let value = max(1, min(nanoseconds, Self.longest))
    switch kind {
    case .memoryHit: memoryHit.record(value)
    case .diskHit: diskHit.record(value)
    case .miss: miss.record(value)
    case .set: set.record(value)
    case .delete: delete.record(value)
    }
  }

  /// Adds the latencies of another thread.
  mutating func add(_ other: LatencyRecorder) {
    memoryHit.add(other.memoryHit)
    diskHit.add(other.diskHit)
    miss.add(other.miss)
    set.add(other.set)
    delete.add(other.delete)
  }

  func measured(_ kind: OperationLatency.Kind) -> UInt64 { histogram(kind).totalCount }

  /// The latency of a kind; nil if none was measured.
  func latency(_ kind: OperationLatency.Kind) -> MeasuredLatency? {
    MeasuredLatency(histogram(kind))
  }

  /// The latency of all gets together; nil if none was measured.
  var getLatency: MeasuredLatency? {
    var gets = memoryHit
    gets.add(diskHit)
    gets.add(miss)
    return MeasuredLatency(gets)
  }

  private func histogram(_ kind: OperationLatency.Kind) -> Histogram<UInt32> {
    switch kind {
    case .memoryHit: memoryHit
    case .diskHit: diskHit
    case .miss: miss
    case .set: set
    case .delete: delete
    }
  }
}

extension MeasuredLatency {
  /// The percentiles of a histogram of nanoseconds; nil if it is empty.
  fileprivate init?(_ histogram: Histogram<UInt32>) {
    guard histogram.totalCount > 0 else { return nil }
    let max = histogram.maxRecorded
    // A percentile is the upper end of its bucket, which may exceed the maximum.
    func percentile(_ share: Double) -> UInt64 { min(histogram.valueAtPercentile(share), max) }
    self.init(
      p50: percentile(50), p90: percentile(90), p99: percentile(99), p999: percentile(99.9),
      max: max)
  }
}

/// Selects operations for timing: all, or one in N on average, at irregular distances derived from
/// a seed, so that it does not synchronise with a rhythm of the trace.
struct LatencySampler: Sendable {
  private let every: UInt64
  private var left: UInt64
  private var state: UInt64

  /// One in `every`; 1 for all.
  init(every: Int, seed: UInt64) {
    self.every = UInt64(max(1, every))
    left = 1
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  /// True if the next operation is timed.
  @inline(__always) mutating func next() -> Bool {
    if every == 1 { return true }
    left -= 1
    guard left == 0 else { return false }
    // Marsaglia, Xorshift RNGs, Journal of Statistical Software 8 (2003).
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    left = 1 + state % (2 * every - 1)
    return true
  }
}
