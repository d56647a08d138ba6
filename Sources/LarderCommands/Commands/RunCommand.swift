import ArgumentParser
import Foundation
import LarderEngine
import LarderHarness
import LarderReports
import LarderSimulation
import LarderTraces
import LarderWorkloads

/// `larder run`: the main job.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run every configuration, policy and capacity of a workload file.",
    discussion: """
      Prints a comparison and writes counts.csv, timings.csv, results.json, report.md with its \
      charts, and report.html. With 'mode: [simulate, execute]' in the workload file, real caches \
      are driven too, and their cost is reported next to the hit ratios.

      Examples:
        larder run Workloads/news-feed.yaml
        larder run Workloads/zipf.yaml --output /tmp/zipf --threads 1
        larder run Workloads/designs.yaml --scratch /mnt/disk
      """)

  @Argument(help: "The workload file (YAML; see docs/workloads.md).", completion: .file())
  var workload: String

  @Option(
    help: """
      Folder for the files. By default Results/<workload>/<date-time>, listed in \
      Results/index.html.
      """,
    completion: .directory)
  var output: String?

  @Option(
    help: """
      Folder, on the disk to measure, for the files of executed caches. By default the system's \
      temporary folder.
      """,
    completion: .directory)
  var scratch: String?

  @OptionGroup var speed: SpeedOptions

  func run() throws {
    Interrupts.listen()
    let workload = try WorkloadDecoder().decode(contentsOf: self.workload)
    let standard = RunDirectory.standard(workload: workload.name)
    var made = RunDirectory.missing(on: output ?? standard)
    let directory = output ?? RunDirectory.claim(standard)
    if output == nil { made = [directory] + made.dropFirst() }
    do {
      try run(workload, directory)
    } catch {
      RunDirectory.removeEmpty(made)
      throw error
    }
  }

  private func run(_ workload: Workload, _ directory: String) throws {
    let formats = try workload.reports.map { try ReportRegistry.format(named: $0.rawValue) }
    let writer = ReportWriter(directory: directory, formats: formats)
    try writer.prepare()
    let progress = ProgressLine(isQuiet: speed.quiet)
    let traces = try prepare(workload, progress)
    let cells = try workload.cells(over: traces)
    try advise(on: traces, of: workload, into: directory, progress)
    let execution = workload.execution ?? ExecutionSpec()
    var sweep = Sweep(
      cells: cells, traces: traces.table, warmUp: workload.warmUp,
      repetitions: workload.repetitions, latency: workload.latency, threads: speed.threads,
      execution: execution, driver: HarnessDriver())
    if let scratch { sweep.scratch = scratch }
    var results = RunResults(
      workload: workload.name, workloadDescription: workload.description,
      command: "\(ShellText.command([LarderProgram.name, "run"])) \(ShellWord.path(self.workload))",
      started: RunDirectory.timestamp(), plannedCells: cells.count, threads: speed.threads,
      machine: .current(), traces: traces.facts,
      latencyModel: workload.latency?.describe(for: Set(cells.map(\.cell.kind))),
      warmUp: workload.warmUp.description,
      execution: ExecutionConditions(
        execution, cells: cells, repetitions: workload.repetitions,
        hasLatency: workload.latency != nil),
      caches: CacheFacts.all(of: cells),
      notes: traces.notes + Plan.notes(of: cells, in: workload))
    try run(sweep, &results, writer, progress)
    Output.text(ComparisonTable.text(of: results, colour: Output.usesColour))
    Output.flush()
    for format in formats { progress.note("\(directory)/\(format.fileName)") }
    if output == nil { list(progress) }
    if results.interrupted {
      throw Interrupted(description: "stopped: \(Self.done(results)) are in \(directory)")
    }
  }

  /// Makes, prints and writes the decision that the workload asks for.
  private func advise(
    on traces: WorkloadTraces, of workload: Workload, into directory: String,
    _ progress: ProgressLine
  ) throws {
    guard let spec = workload.advise else { return }
    let run = AdviceRun(
      settings: try AdviceRun.settings(of: spec, in: workload, threads: speed.threads),
      progress: progress)
    let all = try run.advice(for: traces)
    for advice in all {
      try run.write(advice, into: directory, isOneOfSeveral: all.count > 1)
      run.print(advice, isOneOfSeveral: all.count > 1)
      if all.count == 1 { Output.line("") }
    }
    Output.flush()
  }

  /// Writes the list of all runs. That it cannot be written does not spoil this one.
  private func list(_ progress: ProgressLine) {
    do throws(ReportError) {
      let path = ResultsIndex.path(in: RunDirectory.root)
      try ReportWriter.write(try ResultsIndex(of: RunDirectory.root).text, to: path)
      progress.note(path)
    } catch {
      progress.note("cannot write the list of runs: \(error)")
    }
  }

  private func prepare(
    _ workload: Workload, _ progress: ProgressLine
  ) throws -> WorkloadTraces {
    progress.begin("Preparing \(workload.name)")
    let traces = try WorkloadTraces.prepare(workload) { _, requests in
      if Interrupts.cancellation.isRequested {
        throw Interrupted(description: "stopped before any cell was run; nothing was written")
      }
      progress.set(requests)
    }
    for facts in traces.facts {
      progress.end(
        "\(facts.name)\(facts.seed.map { ", seed \($0)" } ?? ""): \(facts.requests) requests, "
          + "\(facts.objects) objects")
    }
    return traces
  }

  /// Runs the sweep and writes the files: while it goes on and at its end.
  private func run(
    _ sweep: Sweep, _ results: inout RunResults, _ writer: ReportWriter, _ progress: ProgressLine
  ) throws {
    progress.begin("Running \(sweep.cells.count) cells", total: sweep.totalRequests)
    let unfinished = results
    let saving = SavingPace()
    let observer = Sweep.Observer(
      began: { progress.retitle($0.description) },
      replayed: { progress.advance($0) },
      finished: { records in
        try saving.whenDue {
          var partial = unfinished
          partial.records = records()
          partial.interrupted = true
          partial.finished = RunDirectory.timestamp()
          if !sweep.isComplete(partial.records) { try writer.write(partial) }
        }
      })
    let start = ContinuousClock.now
    results.records = try sweep.run(cancellation: Interrupts.cancellation, observer: observer)
    results.finished = RunDirectory.timestamp()
    results.interrupted = !sweep.isComplete(results.records)
    if results.interrupted {
      results.notes.append(
        "Stopped by the user after \(Self.done(results)); the existing rows are complete.")
    }
    if let note = Self.nothingCounted(results) {
      results.notes.append(note)
      progress.note(note)
    }
    try writer.write(results)
    progress.end("\(results.records.count) cells in \(SecondsText.since(start))")
  }

  /// How far an interrupted run came.
  private static func done(_ results: RunResults) -> String {
    let cells = "\(results.records.count) of \(results.plannedCells) cells"
    guard let execution = results.execution else { return cells }
    let executed = results.records.count { !($0.executions ?? []).isEmpty }
    return "\(cells), \(executed) of \(execution.cells) executed,"
  }

  /// What to say when the warm-up left a cell nothing to count.
  private static func nothingCounted(_ results: RunResults) -> String? {
    let empty = results.records.count {
      let counts = $0.counts
      return counts.requests == 0 && counts.sets == 0 && counts.deletes == 0
    }
    guard empty > 0 else { return nil }
    return "The warm-up left no requests to count in \(empty) of \(results.records.count) cells "
      + "(not counted: \(results.warmUp)); choose a shorter one."
  }
}
