import LarderEngine
import LarderStore
import LarderSystem
import LarderWorkloads

/// `larder plan --project`: what a sweep of a stated size would cost.
struct ProjectedSweep {
  private let sweep: SweepProjection

  /// Reads `cells=1.2M:traces=7749:requests=198G:large=70%` and names of policies.
  init(size: String, policies: String) throws {
    var values: [String: UInt64] = [:]
    var large: Share?
    for word in size.split(separator: ":", omittingEmptySubsequences: false) {
      let parts = word.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
      if parts.count == 2, parts[0] == "large", large == nil, let share = Share(parsing: parts[1]) {
        large = share
        continue
      }
      guard parts.count == 2, Self.names.contains(parts[0]), values[parts[0]] == nil,
        let number = Quantity.count(parts[1]), number > 0
      else { throw Self.malformed(size) }
      values[parts[0]] = number
    }
    guard let cells = values["cells"], let traces = values["traces"],
      let requests = values["requests"]
    else { throw Self.malformed(size) }
    let specs = try policies.split(separator: ",").map { text throws(PolicyError) in
      try PolicySpec(parsing: text)
    }
    for spec in specs { _ = try PolicyRegistry.policy(named: spec) }
    guard !specs.isEmpty else { throw UsageError("--policy expects at least one policy") }
    sweep = SweepProjection(
      cells: Double(cells), traces: Double(traces), requests: Double(requests),
      policies: specs.map(\.name), largeShare: large.map { Double($0.billionths) / 1e9 } ?? 0)
  }

  private static let names = ["cells", "traces", "requests"]

  private static func malformed(_ size: String) -> UsageError {
    UsageError(
      "--project '\(size)': expected cells, traces and requests as whole numbers above 0, such as "
        + "cells=1.2M:traces=7749:requests=198G; and large=70% if that share of the requests is in "
        + "traces with more than a million objects")
  }

  /// Prints the projection.
  func print() {
    func number(_ value: Double, _ decimals: Int = 0) -> String {
      NumberText.fixed(value, decimals: decimals) ?? "-"
    }
    Output.line("cells              \(number(sweep.cells))")
    Output.line("traces             \(number(sweep.traces))")
    Output.line("requests to read   \(number(sweep.requests))")
    Output.line("requests simulated \(number(sweep.simulated)) (requests x cells / traces)")
    Output.line(
      "per request        \(number(sweep.nanoseconds, 1)) ns, the mean of "
        + sweep.policies.joined(separator: ", "))
    Output.line(
      "in large traces    \(number(sweep.largeShare * 100, 1)) % of the requests, which take "
        + "twice as long (more than a million objects; large=70% sets it)")
    Output.line("to prepare         \(number(sweep.preparingHours, 1)) core-hours")
    Output.line("to simulate        \(number(sweep.simulatingHours, 1)) core-hours")
    Output.line(
      "projected          \(number(sweep.preparingHours + sweep.simulatingHours, 1)) core-hours "
        + "at the measured speeds of docs/clusters.md")
  }
}
