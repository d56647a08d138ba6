import Foundation
import Larder
import LarderEngine
import LarderPolicies

@testable import LarderExperiments
@testable import LarderHarness
@testable import LarderSupport

/// Runs a draw from its files, like `larder run`, and compares the counts of the real cache in one
/// thread with those of the simulation.
struct DrawRun {
  var changing: (inout SimulationSetup) -> Void = { _ in }

  /// The draw with LRU in memory alone, if it fails as well, and with the fewest requests.
  func plainest(_ draw: ConfigurationDraw) -> ConfigurationDraw {
    func fails(_ draw: ConfigurationDraw) -> Bool { ((try? difference(draw)) ?? nil) != nil }
    var best = draw
    var alone = draw
    (alone.kind, alone.warmUp) = (.memory, "none")
    // If it has too much room to fail, it gets less.
    alone.memory = ConfigurationDraw.Tier(capacity: draw.memory.capacity)
    while alone.memory.capacity > 0, !fails(alone) { alone.memory.capacity /= 4 }
    if alone.memory.capacity > 0 { best = alone }
    var chunk = best.trace.lines.count / 2
    while chunk > 0 {
      var start = 0
      while start + chunk <= best.trace.lines.count {
        var shorter = best
        shorter.trace.lines.removeSubrange(start..<start + chunk)
        if fails(shorter) { best = shorter } else { start += chunk }
      }
      chunk /= 2
    }
    return best
  }

  /// Nil if all counts are equal; otherwise the differences.
  ///
  /// - Throws: the fault of an invalid draw.
  func difference(_ draw: ConfigurationDraw) throws -> String? {
    let folder = NSTemporaryDirectory() + "larder-draw-" + UUID().uuidString
    let files = FileManager.default
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: folder) }
    try Data(draw.trace.text.utf8)
      .write(to: URL(fileURLWithPath: folder + "/" + ConfigurationDraw.traceName))
    let workload = try WorkloadDecoder().decode(
      Data(draw.workloadText.utf8), file: folder + "/" + ConfigurationDraw.workloadName)
    let traces = try WorkloadTraces.prepare(workload)
    let cells = try Plan.cells(of: workload, facts: traces.facts)
    guard cells.count == 1, let planned = cells.first, planned.isSimulated, planned.isExecuted
    else { return "expected one cell to simulate and execute, found \(cells.count)" }
    guard let trace = traces.table[planned.cell] else {
      return "there is no trace for the seed \(planned.cell.seed)"
    }
    let runner = CellRunner(
      warmUp: workload.warmUp, repetitions: 1, calculators: nil, cancellation: Cancellation(),
      progress: { _ in })
    var real = planned
    changing(&real.setup)
    real.setup = try real.setup.inRealCaches()
    let simulated = try runner.run(real, over: trace)?.counts ?? Counts()
    let executor = CellExecutor(
      DrivingOrder(
        spec: workload.execution ?? ExecutionSpec(), warmUp: workload.warmUp, folder: folder))
    do {
      guard let executed = try executor.run(planned, over: trace, simulated: simulated)?.first
      else { return "the run was stopped" }
      if executed.capacityExceeded > 0 { return "the cache held more than it may" }
      return executed.counts == simulated ? nil : Self.differences(executed.counts, simulated)
    } catch {
      return "executing failed: \(error)"
    }
  }

  private static func differences(_ executed: Counts, _ simulated: Counts) -> String {
    func lines(_ executed: Any, _ simulated: Any, _ path: String) -> [String] {
      zip(Mirror(reflecting: executed).children, Mirror(reflecting: simulated).children)
        .flatMap { left, right in
          let name = path + (left.label ?? "")
          if left.value is TierCounts { return lines(left.value, right.value, name + ".") }
          return "\(left.value)" == "\(right.value)"
            ? [] : ["\(name): executed \(left.value), simulated \(right.value)"]
        }
    }
    return lines(executed, simulated, "").joined(separator: "\n")
  }
}
