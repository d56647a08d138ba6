import Histogram
import LarderSimulation

/// What one thread measured: a histogram for each kind of operation.
///
/// HdrHistogram (Tene) with three digits: percentiles are within 0.1 %. From a nanosecond to 18
/// minutes; what takes longer counts as that.
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

  /// Adds one operation that took so many nanoseconds.
  @inline(__always)
  mutating func record(_ kind: OperationLatency.Kind, _ nanoseconds: UInt64) {
    let value = max(1, min(nanoseconds, Self.longest))
    switch kind {
    case .memoryHit: memoryHit.record(value)
    case .diskHit: diskHit.record(value)
    case .miss: miss.record(value)
    case .set: set.record(value)
    case .delete: delete.record(value)
    }
  }

  /// Adds what another thread measured.
  mutating func add(_ other: LatencyRecorder) {
    memoryHit.add(other.memoryHit)
    diskHit.add(other.diskHit)
    miss.add(other.miss)
    set.add(other.set)
    delete.add(other.delete)
  }

  /// How many operations of a kind were measured.
  func measured(_ kind: OperationLatency.Kind) -> UInt64 { histogram(kind).totalCount }

  /// The latency of a kind, nil when none was measured.
  func latency(_ kind: OperationLatency.Kind) -> MeasuredLatency? {
    MeasuredLatency(histogram(kind))
  }

  /// The latency of all gets together, nil when none was measured.
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
  /// The percentiles of a histogram of nanoseconds, nil when it is empty.
  fileprivate init?(_ histogram: Histogram<UInt32>) {
    guard histogram.totalCount > 0 else { return nil }
    let max = histogram.maxRecorded
    // A percentile is the upper end of its bucket, which may be above everything measured.
    func percentile(_ share: Double) -> UInt64 { min(histogram.valueAtPercentile(share), max) }
    self.init(
      p50: percentile(50), p90: percentile(90), p99: percentile(99), p999: percentile(99.9),
      max: max)
  }
}
