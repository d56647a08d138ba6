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
