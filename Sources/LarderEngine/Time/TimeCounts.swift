/// What happened in a simulation with time. A pure function of workload, configuration and seed; in
/// microseconds, or in requests where these are the clock.
public struct TimeCounts: Sendable, Hashable, Codable {
  /// The unit of the times: microseconds of the trace, or requests.
  public var clock: FetchModel.Clock
  /// Gets of an object that was being fetched, which waited for that fetch.
  public var delayedHits: UInt64 = 0
  /// Fetches from the origin.
  public var originFetches: UInt64 = 0
  /// Sum of the waits of all gets; those of hits in memory are 0.
  public var totalLatency: UInt64 = 0
  /// The largest number of fetches that were not complete at the same time, queued ones included.
  public var maxInFlight: UInt64 = 0
  /// The wait that half of the gets do not exceed.
  public var p50Latency: UInt64 = 0
  /// The wait that nine in ten gets do not exceed.
  public var p90Latency: UInt64 = 0
  /// The wait that 99 in 100 gets do not exceed: at place ceil(0.99 n) of n waits in order.
  public var p99Latency: UInt64 = 0

  /// Nothing has happened yet.
  @inlinable
  public init(clock: FetchModel.Clock = .trace) { self.clock = clock }
}
