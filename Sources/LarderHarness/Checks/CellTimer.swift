import Foundation
import LarderEngine
import LarderExperiments
import LarderLibc
import LarderSupport
import LarderTraces

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

/// What is timed: a cell, simulated or executed.
package struct TimedName: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The cell.
  package var cell: CellName
  /// Whether policies are simulated or a real cache is driven, in one thread.
  package var mode: Timing.Mode

  /// A name; see the properties for the meaning of each part.
  package init(cell: CellName, mode: Timing.Mode) {
    self.cell = cell
    self.mode = mode
  }

  /// `memory/lru/1%`, with `, executed` behind it where a real cache was driven.
  package var description: String { "\(cell)" + (mode == .execute ? ", executed" : "") }
}

/// A cell to be timed.
package struct TimedCell: Sendable, Hashable {
  /// What it is called.
  package var name: TimedName
  /// The cell.
  package var planned: PlannedCell

  /// What a plan has to be timed: each cell as it is run, out of those that `spec` lets pass.
  package static func all(
    of cells: [PlannedCell], timed spec: CheckSpec, amongTraces: Bool
  ) -> [TimedCell] {
    cells.filter { spec.times($0.cell) }.flatMap { planned in
      var modes: [Timing.Mode] = planned.isSimulated ? [.simulate] : []
      if planned.isExecuted { modes.append(.execute) }
      return modes.map { mode in
        let name = CellName(planned.cell, amongTraces: amongTraces)
        return TimedCell(name: TimedName(cell: name, mode: mode), planned: planned)
      }
    }
  }
}

extension CheckSpec {
  /// Whether a cell is timed.
  func times(_ cell: Cell) -> Bool {
    let tiers = cell.policy.split(separator: "+").map(String.init) + [cell.policy]
    return timed.configurations?.contains(cell.configuration) ?? true
      && timed.policies?.contains { tiers.contains($0.description) } ?? true
      && timed.capacities?.contains { $0.description == cell.capacityLabel } ?? true
  }
}

/// What one measurement of a cell took.
package struct RepetitionTime: Sendable, Hashable {
  /// Processor time of the thread: time that other programs had the processor is not in it.
  package var processorNanoseconds: UInt64
  /// Time on the wall.
  package var wallNanoseconds: UInt64
  /// The cell's hits, so that it is noticed when two builds do different work.
  package var hits: UInt64
  /// The 99th percentile of the latency of gets in the last run; nil where none was recorded.
  package var latencyNanoseconds: UInt64?

  /// A measurement; see the properties for the meaning of each part.
  package init(
    processorNanoseconds: UInt64, wallNanoseconds: UInt64, hits: UInt64,
    latencyNanoseconds: UInt64? = nil
  ) {
    self.processorNanoseconds = processorNanoseconds
    self.wallNanoseconds = wallNanoseconds
    self.hits = hits
    self.latencyNanoseconds = latencyNanoseconds
  }

  /// The time that is compared, in seconds: of a simulation the processor's, which a loaded machine
  /// does not lengthen, and of a real cache, which waits for its disk, that on the wall.
  package func seconds(_ mode: Timing.Mode) -> Double {
    Double(max(1, mode == .simulate ? processorNanoseconds : wallNanoseconds)) / 1e9
  }
}

/// Two clocks, read together.
struct TwoClocks {
  /// Nanoseconds of this thread's processor time.
  let processor: UInt64
  /// Nanoseconds since a moment that stays the same.
  let wall: UInt64

  /// The time now.
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

/// How busy the machine is.
package enum MachineLoad {
  /// Processes that ran or wanted to, on average over the last minute; nil where the system does
  /// not say.
  package static var oneMinute: Double? {
    var loads = [Double](repeating: 0, count: 1)
    return getloadavg(&loads, 1) == 1 ? loads[0] : nil
  }
}
