import LarderEngine
import LarderSystem

/// How far a run with time is from the simulation of its cell: it is a measurement, so that equal
/// is more than can be asked.
package struct TimedAgreement: Sendable {
  /// Mean waits over all requests, microseconds of the trace: measured and simulated.
  package let waits: (measured: Double, simulated: Double)
  /// Fetches from the origin.
  package let fetches: (measured: UInt64, simulated: UInt64)

  /// By how much they may differ, as shares of what was simulated.
  package static let limits = (wait: 0.05, fetches: 0.01)

  /// What was measured beside what was simulated; nil where there is nothing to compare.
  package init?(measured: Counts, simulated: Counts) {
    guard let found = measured.time, let expected = simulated.time, measured.requests > 0,
      measured.requests == simulated.requests
    else { return nil }
    let requests = Double(measured.requests)
    waits = (Double(found.totalLatency) / requests, Double(expected.totalLatency) / requests)
    fetches = (found.originFetches, expected.originFetches)
  }

  /// Differences as shares of what was simulated.
  package var differences: (wait: Double, fetches: Double) {
    (
      Self.difference(waits.measured, waits.simulated),
      Self.difference(Double(fetches.measured), Double(fetches.simulated))
    )
  }

  private static func difference(_ measured: Double, _ simulated: Double) -> Double {
    guard simulated > 0 else { return measured > 0 ? .infinity : 0 }
    return measured / simulated - 1
  }

  /// Whether both are within their limits.
  package var isClose: Bool {
    let differences = differences
    // A quotient of whole numbers may be beside a limit by its last bits.
    return abs(differences.wait) <= Self.limits.wait + 1e-9
      && abs(differences.fetches) <= Self.limits.fetches + 1e-9
  }

  /// Both in a sentence.
  package var text: String {
    func percent(_ share: Double) -> String {
      guard share.isFinite else { return "from nothing" }
      let text = NumberText.fixed(abs(share) * 100, decimals: 1) ?? "?"
      return (share < 0 ? "\u{2212}" : "+") + text + " %"
    }
    func milliseconds(_ microseconds: Double) -> String {
      NumberText.fixed(microseconds / 1000, decimals: 2) ?? "?"
    }
    let limits = Self.limits
    let (wait, origin) = (Int(limits.wait * 100), Int(limits.fetches * 100))
    return "mean wait \(milliseconds(waits.measured)) ms executed, "
      + "\(milliseconds(waits.simulated)) ms simulated (\(percent(differences.wait))); "
      + "\(self.fetches.measured) fetches executed, \(self.fetches.simulated) simulated "
      + "(\(percent(differences.fetches))): \(isClose ? "within" : "not within") \(wait) % and "
      + "\(origin) %."
  }
}
