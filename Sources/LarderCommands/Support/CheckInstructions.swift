import Foundation
import LarderChecks
import LarderWorkloads

/// The instructions of a check's cells, counted under callgrind.
struct CheckInstructions {
  /// What the user asked for.
  let command: CheckCommand
  /// The workload.
  let workload: Workload
  /// Its traces.
  let traces: WorkloadTraces
  /// Where to tell how it goes.
  let progress: ProgressLine

  /// Instructions of a request, of each of `cells` that is timed: executed where it is, and else
  /// simulated.
  ///
  /// - Parameters:
  ///   - all: The workload's cells, in the order in which a worker numbers them.
  ///   - stops: Whether counting ends with a cell that has so many.
  /// - Returns: The figures, and how many cells are left.
  /// - Throws: `TimingError`.
  func figures(
    of cells: [PlannedCell], among all: [PlannedCell], stops: (CellName, Double) -> Bool
  ) throws -> (figures: [CellName: Double], left: Int) {
    guard let own = Bundle.main.executablePath else {
      throw UsageError("cannot find the path of this program, so it cannot be counted")
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-instructions-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let counter = try InstructionCounter(
      program: own,
      arguments: ["time-worker", command.workload]
        + (command.timing.scratch.map { ["--scratch", $0] } ?? []),
      folder: folder, cancellation: Interrupts.cancellation)
    let numbers = Dictionary(
      uniqueKeysWithValues: timed(all, CheckSpec()).enumerated().map { ($1.name, $0) })
    let chosen = chosen(timed(cells, command.only.isEmpty ? workload.check : CheckSpec()))
    var figures: [CellName: Double] = [:]
    for (place, cell) in chosen.enumerated() {
      guard let number = numbers[cell.name], let trace = traces.table[cell.planned.cell] else {
        continue
      }
      progress.retitle("Counting instructions, \(place + 1) of \(chosen.count): \(cell.name)")
      let count = try counter.instructions(ofCell: number)
      let figure = Double(count) / Double(max(1, trace.requests.count))
      figures[cell.name.cell] = figure
      if stops(cell.name.cell, figure) { return (figures, chosen.count - place - 1) }
    }
    return (figures, 0)
  }

  private func timed(_ cells: [PlannedCell], _ spec: CheckSpec) -> [TimedCell] {
    TimedCell.all(of: cells, timed: spec, amongTraces: workload.hasSeveralTraces)
  }

  /// One of each cell: what is executed comes behind what is simulated.
  private func chosen(_ cells: [TimedCell]) -> [TimedCell] {
    var last: [CellName: TimedCell] = [:]
    for cell in cells { last[cell.name.cell] = cell }
    return cells.filter { last[$0.name.cell] == $0 }
  }
}
