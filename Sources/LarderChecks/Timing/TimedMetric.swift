import LarderSimulation

/// What two builds are compared by.
package enum TimedMetric: Sendable, Hashable, CaseIterable {
  /// How long a run takes: the inverse of throughput.
  case time
  /// The 99th percentile of the latency of gets, which a run in one thread may hide: a hundredth of
  /// them can take twice as long without making the run much longer.
  case latency

  /// What is compared of a cell that is simulated or executed.
  static func all(of mode: Timing.Mode) -> [TimedMetric] {
    mode == .execute ? allCases : [.time]
  }

  /// The seconds of one of so many runs; nil where this was not measured.
  func seconds(_ time: RepetitionTime, _ mode: Timing.Mode, runs: Int) -> Double? {
    switch self {
    case .time: time.seconds(mode) / Double(max(1, runs))
    case .latency: time.latencyNanoseconds.map { Double(max(1, $0)) / 1e9 }
    }
  }
}
