import LarderEngine
import LarderSimulation

/// What the requests of a run with time came to. Waits are in microseconds of the trace.
struct TimedTally: Sendable {
  var requests: UInt64 = 0
  var hits: UInt64 = 0
  var bytesRequested: UInt64 = 0
  var bytesHit: UInt64 = 0
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
  mutating func note(isHit: Bool, weight: UInt64, wait: UInt64) {
    requests += 1
    bytesRequested += weight
    if isHit {
      hits += 1
      bytesHit += weight
    }
    waits.append(wait)
    latencies.record(isHit ? .memoryHit : .miss, wait.multipliedReportingOverflow(by: 1000).0)
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
    time.delayedHits = requests - hits - min(fetches, requests - hits)
    time.totalLatency = sorted.reduce(0, &+)
    time.maxInFlight = inFlightMax
    (time.p50Latency, time.p90Latency) = (percentile(0.5), percentile(0.9))
    time.p99Latency = percentile(0.99)
    return time
  }
}
