import Foundation
import LarderExperiments
import LarderHarness

struct CheckResources {
  let command: CheckCommand
  let workload: Workload
  let traces: WorkloadTraces
  let progress: ProgressLine
  let stored: MeasuredResources?

  struct Outcome {
    var measured: MeasuredResources?
    var comparison: ResourceComparison?
    var notes: [String] = []
  }

  /// Takes the figures of memory and disk from `records`, counts instructions if that was asked for
  /// and the check has not failed yet, and compares them all.
  func run(
    _ records: [Record], of cells: [PlannedCell], hasFailed: Bool
  ) throws -> Outcome {
    var outcome = Outcome(
      measured: MeasuredResources(records, amongTraces: workload.hasSeveralTraces))
    let names = cells.map { workload.name(of: $0.cell) }
    var before = stored
    if command.timing.instructions {
      if command.timing.against != nil { before = held(against: [:]) }
      let worse = compare(before, outcome.measured, of: names)?.worse ?? []
      let counted = try count(cells, into: &outcome, hasFailed: hasFailed || !worse.isEmpty)
      if command.timing.against != nil {
        before = held(against: counted.other)
      } else if counted.isOver {
        before = stored?.removing(.instructionsPerRequest, but: outcome.measured)
      }
    } else if command.update {
      keepInstructions(of: names, in: &outcome)
    }
    outcome.comparison = compare(before, outcome.measured, of: names)
    if !command.update { outcome.notes += remarks(outcome.measured) }
    return outcome
  }

  private var stopsEarly: Bool { !command.update && !command.timing.keepGoing }

  /// Counts instructions until a cell has too many. Says whether cells are left, and what the build
  /// of `--against` takes.
  private func count(
    _ cells: [PlannedCell], into outcome: inout Outcome, hasFailed: Bool
  ) throws -> (isOver: Bool, other: [CellName: Double]) {
    guard !hasFailed || !stopsEarly else {
      outcome.notes.append(
        "Instructions were not counted because the check has already failed; to count them, use "
          + "--keep-going.")
      return (true, [:])
    }
    let counter = CheckInstructions(
      command: command, workload: workload, traces: traces, progress: progress)
    let counted = try counter.figures(of: cells, among: try workload.cells(over: traces)) {
      stopsEarly && isWorse($0, $1, $2)
    }
    add(counted.this, to: &outcome)
    if counted.unknown > 0 {
      outcome.notes.append(
        "Cells whose instructions were not counted because the other build does not have them: "
          + "\(counted.unknown).")
    }
    guard counted.left > 0 else { return (false, counted.other) }
    outcome.notes.append(
      "Counting stopped at the first cell with more instructions; \(counted.left) not counted. "
        + "To count all, use --keep-going.")
    return (true, counted.other)
  }

  private func isWorse(_ name: CellName, _ other: Double?, _ instructions: Double) -> Bool {
    let before =
      other.map { Self.none.adding([name: $0], as: .instructionsPerRequest) } ?? stored
    let figures = Self.none.adding([name: instructions], as: .instructionsPerRequest)
    return compare(before, figures, of: [name])?.worse.isEmpty == false
  }

  private func held(against instructions: [CellName: Double]) -> MeasuredResources {
    let stored = stored.flatMap { $0.system == MeasuredResources.thisSystem ? $0 : nil }
    return (stored?.removing(.instructionsPerRequest, but: nil) ?? Self.none)
      .adding(instructions, as: .instructionsPerRequest)
  }

  private static var none: MeasuredResources {
    MeasuredResources(system: MeasuredResources.thisSystem, cells: [])
  }

  /// A new baseline keeps the instructions of the old one where they were not counted again.
  private func keepInstructions(of names: [CellName], in outcome: inout Outcome) {
    guard let stored, stored.system == MeasuredResources.thisSystem else { return }
    let kept = Set(names)
    var figures: [CellName: Double] = [:]
    for cell in stored.cells where kept.contains(cell.name) {
      figures[cell.name] = cell.values[.instructionsPerRequest]
    }
    add(figures, to: &outcome)
  }

  private func add(_ figures: [CellName: Double], to outcome: inout Outcome) {
    guard !figures.isEmpty else { return }
    outcome.measured = (outcome.measured ?? Self.none)
      .adding(figures, as: .instructionsPerRequest)
  }

  private func compare(
    _ before: MeasuredResources?, _ after: MeasuredResources?, of names: [CellName]
  ) -> ResourceComparison? {
    let after = after ?? Self.none
    guard let before, before.system == after.system else { return nil }
    return ResourceComparison(
      from: before, to: after, of: names, thresholds: workload.check.resources)
  }

  private func remarks(_ measured: MeasuredResources?) -> [String] {
    guard let measured else { return [] }
    guard let stored else {
      return ["The baseline has no memory and disk figures; --update stores those of this run."]
    }
    guard stored.system == measured.system else {
      return [
        "Memory and disk were not compared: the baseline was measured on \(stored.system), this "
          + "run on "
          + "\(measured.system)."
      ]
    }
    let new = CheckResource.allCases.filter { measured.has($0) && !stored.has($0) }
    var remarks: [String] = []
    if new.contains(.instructionsPerRequest), command.timing.against == nil {
      remarks.append(
        "The baseline has no instruction counts; --update --instructions stores those of this "
          + "build.")
    }
    let others = new.filter { $0 != .instructionsPerRequest }.map(\.rawValue)
    if !others.isEmpty {
      remarks.append(
        "The baseline has no \(others.joined(separator: ", ")); --update stores those of this run.")
    }
    return remarks
  }
}

struct CheckInstructions {
  let command: CheckCommand
  let workload: Workload
  let traces: WorkloadTraces
  let progress: ProgressLine

  struct Figures {
    var this: [CellName: Double] = [:]
    var other: [CellName: Double] = [:]
    var left = 0
    var unknown = 0
  }

  private struct Build {
    let counter: InstructionCounter
    let numbers: [TimedName: Int]
  }

  /// Instructions a request of each of `cells` that is timed. `all` are the workload's cells, as a
  /// worker numbers them; counting ends with the first for which `stops` is true.
  func figures(
    of cells: [PlannedCell], among all: [PlannedCell],
    stops: (_ name: CellName, _ other: Double?, _ this: Double) -> Bool
  ) throws -> Figures {
    let own = try command.executable()
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-instructions-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let names = timed(all, CheckSpec()).map(\.name)
    let this = Build(
      counter: try counter(own, folder),
      numbers: Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) }))
    let other = try command.timing.against.map { try build($0.program, names, folder) }
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

  private func counter(_ program: String, _ folder: URL) throws -> InstructionCounter {
    try InstructionCounter(
      program: program, arguments: command.worker, folder: folder,
      cancellation: Interrupts.cancellation)
  }

  private func build(_ program: String, _ names: [TimedName], _ folder: URL) throws -> Build {
    let counter = try counter(command.executable(program), folder)
    let worker = try WorkerProcess(
      program: program, arguments: command.worker, cancellation: Interrupts.cancellation)
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

  private func chosen(_ cells: [TimedCell]) -> [TimedCell] {
    var last: [CellName: TimedCell] = [:]
    for cell in cells { last[cell.name.cell] = cell }
    return cells.filter { last[$0.name.cell] == $0 }
  }
}
