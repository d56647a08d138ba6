import LarderEngine

@testable import LarderExperiments

/// Handmade results of a check.
enum SampleCheck {
  static func cell(
    _ policy: String, hits: UInt64, configuration: String = "memory", writes: UInt64? = nil,
    evictions: UInt64 = 300, seed: UInt64 = 1
  ) -> CheckedCell {
    var counts: [CheckMetric: UInt64] = [
      .requests: 20_000_000, .hits: hits, .evictions: evictions, .staleHits: 0,
    ]
    counts[.diskWrites] = writes
    return CheckedCell(
      name: CellName(
        configuration: configuration, policy: policy, capacity: "1%", seed: seed),
      size: 1000, unit: .objects, counts: counts)
  }

  static let before = [
    cell("lru", hits: 8_220_001), cell("fifo", hits: 8_000_000), cell("sieve", hits: 9_000_000),
    cell("clock", hits: 8_100_000, evictions: 301), cell("gone", hits: 1),
    cell("lru", hits: 9_900_000, configuration: "two tiers", writes: 50_000, seed: 7),
  ]

  static let after = [
    cell("lru", hits: 8_220_000), cell("fifo", hits: 8_000_000), cell("sieve", hits: 9_000_100),
    cell("clock", hits: 8_100_000, evictions: 299), cell("s3-fifo", hits: 9_500_000),
    cell("lru", hits: 9_900_000, configuration: "two tiers", writes: 50_001, seed: 7),
  ]

  static func timing(
    _ cell: CheckedCell, _ verdict: TimingVerdict, _ ratio: CentreInterval?,
    _ metric: TimedMetric = .time
  ) -> TimingComparison {
    TimingComparison(
      name: TimedName(cell: cell.name, mode: metric == .time ? .simulate : .execute),
      metric: metric, against: "old/larder", verdict: verdict,
      ratio: ratio, blocks: 24, pairs: 240)
  }

  /// A figure that got worse, one that got better, and two that were not measured.
  static var resources: ResourceComparison {
    let names = after.map(\.name)
    var comparison = ResourceComparison(
      changes: [
        ResourceChange(
          name: names[1], resource: .memoryBytesPerObject, before: 156, after: 218,
          threshold: Share(percent: 5)),
        ResourceChange(
          name: names[5], resource: .diskBytes, before: 888_832, after: 800_000,
          threshold: Share(percent: 5)),
      ], compared: 9)
    comparison.missing = [
      MissingResource(name: names[2], resource: .memoryBytesPerObject, before: 252.25),
      MissingResource(name: names[3], resource: .instructionsPerRequest, before: 1234),
    ]
    return comparison
  }

  static var full: CheckResult {
    var result = CheckResult(
      workload: "sample", file: "Workloads/sample.yaml", baseline: "larder-baseline.json",
      command: "larder check Workloads/sample.yaml --baseline larder-baseline.json",
      machine: SampleResults.machine.summary, loads: [0.5, 2.25], cells: after.map(\.name),
      counts: CountsComparison(from: before, to: after))
    result.traceChanges = ["feed: was 10 requests, 5 objects; is 11 requests, 5 objects"]
    result.unequalExecutions = [after[1].name]
    result.resources = resources
    result.timings = [
      timing(after[0], .fail, CentreInterval(centre: 1.052, lower: 1.04, upper: 1.063)),
      timing(after[1], .pass, CentreInterval(centre: 0.999, lower: 0.99, upper: 1.01)),
      timing(after[2], .inconclusive, CentreInterval(centre: 1.02, lower: 0, upper: .infinity)),
      timing(after[3], .inconclusive, nil),
      timing(after[4], .fail, CentreInterval(centre: 1.12, lower: 1.08, upper: 1.15), .latency),
    ]
    result.timingMethod = "Time of this build over that of old/larder, in pairs of runs."
    result.notes = ["A remark."]
    return result
  }

  /// A check without findings.
  static var passed: CheckResult {
    var result = full
    result.counts = CountsComparison(from: after, to: after)
    result.traceChanges = []
    result.unequalExecutions = []
    result.resources = nil
    result.timings = []
    result.timingMethod = nil
    result.notes = []
    return result
  }
}
