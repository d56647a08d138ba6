import Larder
import LarderEngine
import LarderSimulation

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the requests of a run with time came to. Waits are in microseconds of the trace.
struct TimedTally: Sendable {
  var requests: UInt64 = 0
  var memoryHits: UInt64 = 0
  var diskHits: UInt64 = 0
  var bytesRequested: UInt64 = 0
  var memoryBytesHit: UInt64 = 0
  var diskBytesHit: UInt64 = 0
  var valuesChecked: UInt64 = 0
  var valuesWrong: UInt64 = 0
  /// The first wrong value, in words.
  var firstWrong: String?
  /// The first error of a cache, and the request.
  var failure: (message: String, request: Int)?
  /// What each get waited, with the time by which the driver was late.
  var waits: [UInt64] = []
  var latencies = LatencyRecorder()

  /// Notes a get that was answered.
  mutating func note(_ source: CacheResult<Data>.Source, weight: UInt64, wait: UInt64) {
    requests += 1
    bytesRequested += weight
    let kind: OperationLatency.Kind
    switch source {
    case .memory:
      memoryHits += 1
      memoryBytesHit += weight
      kind = .memoryHit
    case .disk:
      diskHits += 1
      diskBytesHit += weight
      kind = .diskHit
    case .origin: kind = .miss
    }
    waits.append(wait)
    latencies.record(kind, wait.multipliedReportingOverflow(by: 1000).0)
  }

  /// What a simulation with time counts. O(n log n).
  func time(fetches: UInt64, inFlightMax: UInt64) -> TimeCounts {
    var time = TimeCounts(clock: .trace)
    let sorted = waits.sorted()
    func percentile(_ share: Double) -> UInt64 {
      let place = Int((share * Double(sorted.count)).rounded(.up)) - 1
      return sorted.isEmpty ? 0 : sorted[min(max(place, 0), sorted.count - 1)]
    }
    time.originFetches = fetches
    let others = requests - memoryHits - diskHits
    time.delayedHits = others - min(fetches, others)
    time.totalLatency = sorted.reduce(0, &+)
    time.maxInFlight = inFlightMax
    (time.p50Latency, time.p90Latency) = (percentile(0.5), percentile(0.9))
    time.p99Latency = percentile(0.99)
    return time
  }
}
