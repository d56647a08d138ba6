import Foundation

/// How timings are compared.
package struct TimingSettings: Sendable, Hashable {
  /// The slowdown that must be found, such as 0.05.
  package var threshold: Double
  /// The growth of the 99th percentile of latencies that must be found, such as 0.1.
  package var latencyThreshold: Double
  /// Seconds for measuring all cells together.
  package var budgetSeconds: Double
  /// The chance of a wrong verdict on either side, over all cells and looks.
  package var errorRate: Double
  /// Seed of the order of runs.
  package var seed: UInt64
  /// Whether the other cells are measured on after one has failed.
  package var keepsGoing: Bool

  /// How often is looked, at most.
  package static var looks: Int { 8 }

  /// Settings; see the properties for the meaning of each part.
  package init(
    threshold: Double = 0.05, latencyThreshold: Double = 0.1, budgetSeconds: Double = 60,
    errorRate: Double = 0.005, seed: UInt64 = 1, keepsGoing: Bool = false
  ) {
    self.threshold = threshold
    self.latencyThreshold = latencyThreshold
    self.budgetSeconds = budgetSeconds
    self.errorRate = errorRate
    self.seed = seed
    self.keepsGoing = keepsGoing
  }

  /// What code placement alone makes of a ratio at most, with a margin: executables linked from the
  /// same objects differed by up to 1.026 (`Results/examples/layouts`).
  package static var placement: Double { 1.035 }

  /// The border between pass and fail, as a logarithm: half-way to the threshold, so that neither a
  /// build that is no slower nor one that is slower by the threshold is ever on the edge, and not
  /// within what placement does.
  package var border: Double { border(of: .time) }

  /// The border of one metric.
  func border(of metric: TimedMetric) -> Double {
    let threshold = metric == .time ? threshold : latencyThreshold
    return max(log(1 + threshold) / 2, log(Self.placement))
  }

  /// Whether a slowdown by the threshold lies beyond the border.
  package var findsThreshold: Bool { log(1 + threshold) > border }

  /// The border as a slowdown, such as 0.035.
  package var borderSlowdown: Double { exp(border) - 1 }

  /// The border of latency as a growth, such as 0.049.
  package var latencyBorderGrowth: Double { exp(border(of: .latency)) - 1 }
}
