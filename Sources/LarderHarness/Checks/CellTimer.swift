import Foundation
import LarderEngine
import LarderExperiments
import LarderLibc
import LarderSupport
import LarderTraces

package struct CellTimer: Sendable {
  private let traces: TraceTable
  private let warmUp: WarmUp
  private let latency: LatencyModel?
  private let execution: ExecutionSpec
  private let scratch: String
  private let slowdown: Double

  /// A timer of a workload's cells.
  ///
  /// - Parameter slowdown: Extends every measurement by this share, to test that slowdowns are
  ///   detected; 0 otherwise.
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
      // Creating and removing a cache's files is not part of the measurement.
      time.wallNanoseconds += run.seconds.map { UInt64($0 * 1e9) } ?? (end.wall - start.wall)
      time.hits = run.hits
      time.latencyNanoseconds = run.latency
    }
    return time
  }

  private struct Run {
    let hits: UInt64
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
        hits: execution?.counts.hits ?? 0, seconds: (execution?.seconds ?? 0) * (1 + slowdown),
        latency: execution?.getLatency.map { UInt64(Double($0.p99) * (1 + slowdown)) })
    }
  }

  private func spin(until processor: UInt64) {
    guard slowdown > 0 else { return }
    while TwoClocks.now.processor < processor {}
  }
}

package struct TimedCell: Sendable, Hashable {
  package var name: TimedName
  package var planned: PlannedCell

  package static func all(
    of cells: [PlannedCell], timed spec: CheckSpec, amongTraces: Bool
  ) -> [TimedCell] {
    cells.filter { spec.timed.passes($0.cell) }.flatMap { planned in
      var modes: [Timing.Mode] = planned.isSimulated ? [.simulate] : []
      if planned.isExecuted { modes.append(.execute) }
      return modes.map { mode in
        let name = CellName(planned.cell, amongTraces: amongTraces)
        return TimedCell(name: TimedName(cell: name, mode: mode), planned: planned)
      }
    }
  }
}

/// One measurement of a cell.
package struct RepetitionTime: Sendable, Hashable {
  /// Processor time of the thread, without the time of other programs.
  package var processorNanoseconds: UInt64
  package var wallNanoseconds: UInt64
  package var hits: UInt64
  /// The 99th percentile of the latency of gets in the last run; nil if none was recorded.
  package var latencyNanoseconds: UInt64?

  /// The compared time in seconds: processor time for a simulation, which a loaded machine does not
  /// lengthen; wall-clock time for a real cache, which waits for its disk.
  package func seconds(_ mode: Timing.Mode) -> Double {
    Double(max(1, mode == .simulate ? processorNanoseconds : wallNanoseconds)) / 1e9
  }
}

struct TwoClocks {
  let processor: UInt64
  let wall: UInt64

  static var now: TwoClocks {
    TwoClocks(
      processor: nanoseconds(CLOCK_THREAD_CPUTIME_ID), wall: nanoseconds(CLOCK_MONOTONIC))
  }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

package enum MachineLoad {
  /// Runnable processes, averaged over the last minute; nil if the system does not report them.
  package static var oneMinute: Double? {
    var load = 0.0
    return getloadavg(&load, 1) == 1 ? load : nil
  }
}
