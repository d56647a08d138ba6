import ArgumentParser
import Foundation
import LarderChecks
import LarderEngine
import LarderWorkloads

/// The far end of `larder check --against`: times cells when it is told to. See `TimingWorker`.
struct TimeWorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "time-worker", abstract: "Time cells for 'larder check'.", shouldDisplay: false)

  /// How much longer every measurement is made: see `LarderProgram.main`.
  static let slowdown = Locked(0.0)

  @Argument(help: "The workload file.")
  var workload: String

  @Option(help: "Folder for the files of executed caches.")
  var scratch: String?

  func run() throws {
    let workload = try WorkloadDecoder().decode(contentsOf: self.workload)
    let traces = try WorkloadTraces.prepare(workload)
    let cells = try Plan.cells(of: workload, facts: traces.facts)
    let timer = CellTimer(
      workload, traces: traces.table,
      scratch: scratch ?? FileManager.default.temporaryDirectory.path,
      slowdown: Self.slowdown.withLock { $0 })
    let worker = TimingWorker(
      cells: TimedCell.all(
        of: cells, timed: CheckSpec(), amongTraces: workload.hasSeveralTraces), timer: timer)
    for line in try worker.introduction() { Output.line(line) }
    Output.flush()
    while let order = readLine() {
      Output.line(worker.answer(order))
      Output.flush()
    }
  }
}
