import Foundation

/// Times cells beside calibration kernels, and compares the ratios with those of a baseline.
///
/// Weaker than `PairedTiming`: no kernel is the cell, so another machine changes the ratios, too. A
/// cell is therefore called slower only when it is so in proportion to every one of its kernels.
package struct CalibratedTiming {
  private let settings: TimingSettings
  private let now: () -> Double
  private let progress: (String) -> Void
  private let isInterrupted: () -> Bool

  /// A way to time.
  package init(
    _ settings: TimingSettings, now: @escaping () -> Double,
    progress: @escaping (String) -> Void = { _ in },
    isInterrupted: @escaping () -> Bool = { false }
  ) {
    self.settings = settings
    self.now = now
    self.progress = progress
    self.isInterrupted = isInterrupted
  }

  /// Rounds below which nothing is said, and above which nothing is gained.
  private static var rounds: ClosedRange<Int> { 10...60 }

  /// Measures cells and kernels in turn until the budget is spent: at least ten rounds, and at most
  /// sixty.
  ///
  /// - Throws: `TimingError`, and what cells throw.
  package func measure(
    _ cells: [TimedCell], cell: (TimedCell) throws -> Double,
    kernel: (CalibrationKernel) throws -> Double
  ) throws -> [CalibratedTimings.Entry] {
    var logarithms: [[CalibrationKernel: [Double]]] = cells.map { _ in [:] }
    let kernels = CalibrationKernel.allCases.filter { kernel in
      cells.contains { CalibrationKernel.kernels(for: $0).contains(kernel) }
    }
    let start = now()
    var round = 0
    while round < Self.rounds.lowerBound
      || (round < Self.rounds.upperBound && now() - start < settings.budgetSeconds)
    {
      for (index, timed) in cells.enumerated() {
        if isInterrupted() { throw TimingError.interrupted }
        // A kernel on either side of the cell: load that rises or falls meets both alike.
        let before = try Self.times(kernels, kernel)
        let seconds = try cell(timed)
        let after = try Self.times(kernels, kernel)
        for kernel in CalibrationKernel.kernels(for: timed) {
          let time = ((before[kernel] ?? 0) * (after[kernel] ?? 0)).squareRoot()
          logarithms[index][kernel, default: []].append(log(seconds / time))
        }
      }
      round += 1
      progress("round \(round)")
    }
    let tail = settings.errorRate / Double(max(1, cells.count))
    return zip(cells, logarithms).map { timed, logarithms in
      CalibratedTimings.Entry(
        name: timed.name,
        ratios: logarithms.compactMapValues { SignedRank.interval($0, tail: tail)?.ratios })
    }
  }

  private static func times(
    _ kernels: [CalibrationKernel], _ time: (CalibrationKernel) throws -> Double
  ) rethrows -> [CalibrationKernel: Double] {
    var times: [CalibrationKernel: Double] = [:]
    for kernel in kernels { times[kernel] = try time(kernel) }
    return times
  }

  /// Holds measured cells against those of a baseline, as far as it has them.
  package func compare(
    _ measured: [CalibratedTimings.Entry], with stored: CalibratedTimings
  ) -> [TimingComparison] {
    let byName = Dictionary(
      stored.cells.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return measured.compactMap { entry in
      guard let old = byName[entry.name] else { return nil }
      let ratios = CalibrationKernel.allCases.compactMap { kernel -> (String, CentreInterval)? in
        guard let before = old.ratios[kernel], let after = entry.ratios[kernel] else { return nil }
        // What is uncertain of either is uncertain of the ratio.
        return (
          kernel.rawValue,
          CentreInterval(
            centre: after.centre / before.centre, lower: after.lower / before.upper,
            upper: after.upper / before.lower)
        )
      }
      // The kernel by which it is least slower.
      guard let least = ratios.min(by: { $0.1.lower < $1.1.lower }) else { return nil }
      let logarithms = CentreInterval(
        centre: log(least.1.centre), lower: log(least.1.lower), upper: log(least.1.upper))
      return TimingComparison(
        name: entry.name, against: "the baseline, by the kernel '\(least.0)'",
        verdict: logarithms.verdict(border: settings.border), ratio: least.1, blocks: 0, pairs: 0,
        otherSeconds: 0, thisSeconds: 0)
    }
  }
}
