import Foundation
import LarderEngine
import LarderHarness
import LarderSimulation
import LarderSystem
import LarderTraces
import LarderWorkloads

/// Times cells in this process, one measurement at a time.
package struct CellTimer: Sendable {
  private let traces: TraceTable
  private let warmUp: WarmUp
  private let latency: LatencyModel?
  private let execution: ExecutionSpec
  private let scratch: String
  /// How much longer every measurement is made, as a share of itself.
  private let slowdown: Double

  /// A timer of a workload's cells.
  ///
  /// - Parameter slowdown: makes every measurement last longer by this share, with work that does
  ///   nothing. For trying out whether a slowdown is found; 0 in any other program.
  package init(
    _ workload: Workload, traces: TraceTable,
    scratch: String = FileManager.default.temporaryDirectory.path, slowdown: Double = 0
  ) {
    self.traces = traces
    self.scratch = scratch
    self.slowdown = slowdown
    warmUp = workload.warmUp
    latency = workload.latency
    var execution = workload.execution ?? ExecutionSpec()
    execution.threads = [1]
    self.execution = execution
  }

  /// Runs a cell so often, one run after the other, and says how long that took. Making the trace
  /// is not in it.
  ///
  /// - Parameter recordsLatency: Whether an executed cell records the latency of its gets.
  /// - Throws: what the cell throws.
  package func time(
    _ cell: TimedCell, runs: Int, recordsLatency: Bool = true
  ) throws -> RepetitionTime {
    guard let trace = traces[cell.planned.cell] else {
      throw SweepError.traceMissing(cell.planned.cell)
    }
    var time = RepetitionTime(processorNanoseconds: 0, wallNanoseconds: 0, hits: 0)
    for _ in 0..<max(1, runs) {
      let start = TwoClocks.now
      let run = try run(cell, over: trace, recordsLatency)
      let processor = TwoClocks.now.processor - start.processor
      spin(until: start.processor + processor + UInt64(Double(processor) * slowdown))
      let end = TwoClocks.now
      time.processorNanoseconds += end.processor - start.processor
      // Making and removing a cache's files is no part of what it does.
      time.wallNanoseconds += run.seconds.map { UInt64($0 * 1e9) } ?? (end.wall - start.wall)
      time.hits = run.hits
      time.latencyNanoseconds = run.latency
    }
    return time
  }

  /// What a run came to.
  private struct Run {
    let hits: UInt64
    /// Of an executed cell, its requests alone.
    var seconds: Double?
    var latency: UInt64?
  }

  private func run(
    _ cell: TimedCell, over trace: PreparedTrace, _ recordsLatency: Bool
  ) throws -> Run {
    switch cell.name.mode {
    case .simulate:
      let runner = CellRunner(
        warmUp: warmUp, repetitions: 1, cancellation: Cancellation(),
        progress: { _ in })
      return Run(hits: try runner.run(cell.planned, over: trace)?.counts.hits ?? 0)
    case .execute:
      let executor = CellExecutor(
        DrivingOrder(
          spec: execution, warmUp: warmUp, recordsLatency: recordsLatency, latency: latency,
          folder: scratch))
      let execution = try executor.run(cell.planned, over: trace, simulated: nil)?.first
      return Run(
        hits: execution?.counts.hits ?? 0, seconds: execution?.seconds ?? 0,
        latency: execution?.getLatency?.p99)
    }
  }

  private func spin(until processor: UInt64) {
    guard slowdown > 0 else { return }
    while TwoClocks.now.processor < processor {}
  }
}
