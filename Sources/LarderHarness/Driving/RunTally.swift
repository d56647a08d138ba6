import Histogram
import LarderEngine
import LarderExperiments

struct RunTally: Sendable {
  /// Without those of the tiers.
  var counts = Counts()
  var costs = CostCounts(requested: 0, saved: 0)
  /// Changes at the origin that the cache does not receive.
  var modifies: UInt64 = 0
  /// Changes of TTLs.
  var expires: UInt64 = 0
  var valuesChecked: UInt64 = 0
  var valuesWrong: UInt64 = 0
  var firstWrong: String?
  /// Values given to the cache to store, and their bytes.
  var valuesGiven: UInt64 = 0
  var bytesGiven: UInt64 = 0
  var latencies = LatencyRecorder()

  @inline(__always) mutating func get(
    _ kind: OperationLatency.Kind, weight: UInt64, cost: Double = 0
  ) {
    counts.requests += 1
    counts.bytesRequested += weight
    costs.requested += cost
    if kind == .memoryHit {
      counts.memoryHits += 1
      counts.memoryBytesHit += weight
    } else if kind == .diskHit {
      counts.diskHits += 1
      counts.diskBytesHit += weight
    } else {
      return
    }
    costs.saved += cost
  }

  /// Clears counts at the end of the warm-up; wrong values are kept.
  mutating func reset() {
    let old = self
    self = RunTally()
    (valuesChecked, valuesWrong) = (old.valuesChecked, old.valuesWrong)
    firstWrong = old.firstWrong
  }

  private static var sums: [WritableKeyPath<RunTally, UInt64>] {
    [
      \.counts.requests, \.counts.memoryHits, \.counts.diskHits, \.counts.bytesRequested,
      \.counts.memoryBytesHit, \.counts.diskBytesHit, \.counts.staleHits, \.counts.sets,
      \.counts.deletes, \.modifies, \.expires, \.valuesChecked, \.valuesWrong, \.valuesGiven,
      \.bytesGiven,
    ]
  }

  mutating func add(_ other: RunTally) {
    for sum in Self.sums { self[keyPath: sum] += other[keyPath: sum] }
    costs.requested += other.costs.requested
    costs.saved += other.costs.saved
    firstWrong = firstWrong ?? other.firstWrong
    latencies.add(other.latencies)
  }

  var operations: UInt64 { counts.requests + counts.sets + counts.deletes + modifies + expires }

  func put(into execution: inout Execution, _ tiers: CacheTierCounts?, hasCosts: Bool) {
    execution.counts = counts
    if hasCosts { execution.counts.cost = costs }
    if let tiers {
      (execution.counts.memory, execution.counts.disk) = (tiers.memory, tiers.disk)
      execution.counts.promotions = tiers.promotions
      execution.counts.demotions = tiers.demotions
    }
    execution.requests = operations
    execution.valuesChecked = valuesChecked
    execution.valuesWrong = valuesWrong
    execution.latencies = OperationLatency.Kind.allCases.compactMap { kind in
      latencies.latency(kind).map {
        OperationLatency(kind: kind, count: count(kind), latency: $0)
      }
    }
    execution.getLatency = latencies.getLatency
  }

  private func count(_ kind: OperationLatency.Kind) -> UInt64 {
    switch kind {
    case .memoryHit: counts.memoryHits
    case .diskHit: counts.diskHits
    case .miss: counts.misses
    case .set: counts.sets
    case .delete: counts.deletes
    }
  }
}

/// The latencies of one thread: a histogram for each kind of operation.
///
/// HdrHistogram (Tene) with three digits: percentiles are within 0.1 %. The range is a nanosecond
/// to 18 minutes; longer times count as its end.
struct LatencyRecorder: Sendable {
  private static var longest: UInt64 { 1 << 40 }

  // Distinct from the beginning: a copy made by the first record would count as the cache's memory.
  private var histograms = OperationLatency.Kind.allCases.map { _ in
    Histogram<UInt32>(highestTrackableValue: longest, numberOfSignificantValueDigits: .three)
  }

  @inline(__always) mutating func record(_ kind: OperationLatency.Kind, _ nanoseconds: UInt64) {
    histograms[kind.index].record(max(1, min(nanoseconds, Self.longest)))
  }

  mutating func add(_ other: LatencyRecorder) {
    for index in histograms.indices { histograms[index].add(other.histograms[index]) }
  }

  func latency(_ kind: OperationLatency.Kind) -> MeasuredLatency? {
    MeasuredLatency(histograms[kind.index])
  }

  var getLatency: MeasuredLatency? {
    var gets = histograms[OperationLatency.Kind.memoryHit.index]
    for kind in [OperationLatency.Kind.diskHit, .miss] { gets.add(histograms[kind.index]) }
    return MeasuredLatency(gets)
  }
}

extension OperationLatency.Kind {
  fileprivate var index: Int {
    switch self {
    case .memoryHit: 0
    case .diskHit: 1
    case .miss: 2
    case .set: 3
    case .delete: 4
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
