import Foundation
import LarderChecks
import LarderWorkloads

/// The instructions of a check's cells, counted under callgrind: in this build, and in the one that
/// it is held against where there is one.
struct CheckInstructions {
  /// What the user asked for.
  let command: CheckCommand
  /// The workload.
  let workload: Workload
  /// Its traces.
  let traces: WorkloadTraces
  /// Where to tell how it goes.
  let progress: ProgressLine

  /// Instructions of a request.
  struct Figures {
    /// In this build.
    var this: [CellName: Double] = [:]
    /// In the build of `--against`; empty without.
    var other: [CellName: Double] = [:]
    /// How many cells were not counted, because one had too many.
    var left = 0
    /// How many cells the other build does not have.
    var unknown = 0
  }

  /// One of the two builds.
  private struct Build {
    let counter: InstructionCounter
    /// Its numbers of the cells.
    let numbers: [TimedName: Int]
  }

  /// Instructions of a request, of each of `cells` that is timed: executed where it is, and else
  /// simulated.
  ///
  /// - Parameters:
  ///   - all: The workload's cells, in the order in which a worker numbers them.
  ///   - stops: Whether counting ends with a cell that has so many, in the other build (nil where
  ///     there is none) and in this.
  /// - Throws: `TimingError`.
  func figures(
    of cells: [PlannedCell], among all: [PlannedCell],
    stops: (_ name: CellName, _ other: Double?, _ this: Double) -> Bool
  ) throws -> Figures {
    guard let own = Bundle.main.executablePath else {
      throw UsageError("cannot find the path of this program, so it cannot be counted")
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-instructions-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let names = timed(all, CheckSpec()).map(\.name)
    let this = Build(
      counter: try counter(own, folder),
      numbers: Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) }))
    let other = try command.timing.against.map { try build($0, names, folder) }
    let chosen = chosen(timed(cells, command.only.isEmpty ? workload.check : CheckSpec()))
    var figures = Figures()
    for (place, cell) in chosen.enumerated() {
      guard let number = this.numbers[cell.name], let trace = traces.table[cell.planned.cell]
      else { continue }
      let otherNumber = other?.numbers[cell.name]
      guard other == nil || otherNumber != nil else {
        figures.unknown += 1
        continue
      }
      progress.retitle("Counting instructions, \(place + 1) of \(chosen.count): \(cell.name)")
      let requests = Double(max(1, trace.requests.count))
      let before = try otherNumber.flatMap { try other?.counter.instructions(ofCell: $0) }
        .map { Double($0) / requests }
      let after = Double(try this.counter.instructions(ofCell: number)) / requests
      figures.this[cell.name.cell] = after
      figures.other[cell.name.cell] = before
      if stops(cell.name.cell, before, after) {
        figures.left = chosen.count - place - 1
        break
      }
    }
    return figures
  }

  private var arguments: [String] {
    ["time-worker", command.workload] + (command.timing.scratch.map { ["--scratch", $0] } ?? [])
  }

  private func counter(_ program: String, _ folder: URL) throws -> InstructionCounter {
    try InstructionCounter(
      program: program, arguments: arguments, folder: folder, cancellation: Interrupts.cancellation)
  }

  /// Another build, which says itself what it can run.
  private func build(_ program: String, _ names: [TimedName], _ folder: URL) throws -> Build {
    guard FileManager.default.isExecutableFile(atPath: program) else {
      throw UsageError("\(program): no such program; --against expects an executable of larder")
    }
    let counter = try counter(program, folder)
    let worker = try WorkerProcess(
      program: program, arguments: arguments, cancellation: Interrupts.cancellation)
    defer { worker.end() }
    _ = try worker.ready()
    let numbers = names.compactMap { name in worker.number(of: name).map { (name, $0) } }
    guard !numbers.isEmpty else { throw TimingError.nothingToTime(program: program) }
    return Build(
      counter: counter, numbers: Dictionary(numbers, uniquingKeysWith: { first, _ in first }))
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
