import LarderSimulation

/// What a sweep that is only known by its size would cost, at the measured speeds of `PolicyCost`.
package struct SweepProjection: Sendable {
  /// Cells: a policy at a capacity over a trace.
  package let cells: Double
  /// Traces over which they are spread evenly.
  package let traces: Double
  /// Requests of all traces.
  package let requests: Double
  /// The policies, each with as many cells.
  package let policies: [String]
  /// The share of the requests that are in traces with more than a million objects, whose state
  /// does not fit into the CPU's caches.
  package let largeShare: Double

  /// A sweep; see the properties for the meaning of each part.
  package init(
    cells: Double, traces: Double, requests: Double, policies: [String], largeShare: Double = 0
  ) {
    self.cells = cells
    self.traces = traces
    self.requests = requests
    self.policies = policies
    self.largeShare = largeShare
  }

  /// Mean nanoseconds of a simulated request over the policies.
  package var nanoseconds: Double {
    guard !policies.isEmpty else { return 0 }
    return policies.reduce(0) { $0 + PolicyCost.of($1).nanoseconds } / Double(policies.count)
  }

  /// Requests to simulate: each trace once for each of its cells.
  package var simulated: Double { requests * cells / max(1, traces) }

  /// Hours of one core to simulate them.
  package var simulatingHours: Double { simulated * nanoseconds * (1 + largeShare) / 3.6e12 }

  /// Hours of one core to prepare each trace once.
  package var preparingHours: Double { requests * PartEstimate.preparingNanoseconds / 3.6e12 }
}
