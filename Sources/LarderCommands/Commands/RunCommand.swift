import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderHarness
import LarderReports
import LarderSupport
import LarderTraces

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run every configuration, policy and capacity of a workload file.",
    discussion: """
      Prints a comparison and writes counts.csv, timings.csv, results.json, report.md with its \
      charts, and report.html. With 'mode: [simulate, execute]' in the workload file, real caches \
      are driven too, and their cost is reported next to the hit ratios. Exits with 1 if a cell \
      misses a limit of the key 'require'.

      Examples:
        larder run Workloads/news-feed.yaml
        larder run Workloads/zipf.yaml --output /tmp/zipf --threads 1
        TMPDIR=/mnt/disk larder run Workloads/designs.yaml
        larder run Workloads/zipf.yaml --export history=zipf.history
        larder run Workloads/zipf.yaml --store /shared/store
        larder run Workloads/zipf.yaml --store /shared/store --part 3/10
        larder run Workloads/zipf.yaml --store /shared/store --merge

      Files of executed caches are in the system's temporary folder, TMPDIR. With --store, cells \
      whose counts are in the store are not computed again; they have no timings. With --part, \
      only the store is written; with --merge, every cell is read from it: if one is missing, or \
      two records of a cell differ, the command lists them and exits with 1. See docs/clusters.md.
      """)

  @Argument(help: "The workload file (YAML; see docs/workloads.md).", completion: .file())
  var workload: String

  @Option(
    help: "Folder for the files. By default Results/<workload>/<date-time>.",
    completion: .directory)
  var output: String?

  @OptionGroup var store: StoreOption

  @Option(
    help: ArgumentHelp(
      """
      Compute one part of the cells into the store and write nothing else: k/N, auto (the task \
      index set by Slurm, Kubernetes or AWS Batch), auto/N, or prepare (the traces).
      """, valueName: "part"))
  var part: String?

  @Flag(help: "Compute nothing: write the files of a workload whose parts are all in the store.")
  var merge = false

  @OptionGroup var today: CurrentOption

  @OptionGroup var exporting: ExportOption

  @OptionGroup var short: HistoryOption

  @OptionGroup var speed: SpeedOptions

  func validate() throws {
    let files = exporting.export.adding("history", short.history)
    try files.validate(known: ReportRegistry.exports + ["history"])
    if today.current != nil, part != nil || merge {
      throw ValidationError("--part and --merge give no advice; remove --current")
    }
    guard part != nil else { return }
    if output != nil || merge || !files.isEmpty {
      throw ValidationError(
        "--part writes to the store only, so --output, --merge and --export have no effect")
    }
  }

  func run() throws {
    Interrupts.listen()
    var workload = try WorkloadDecoder().decode(contentsOf: self.workload)
    if let cache = try today.cache() { workload.setCurrent(cache) }
    if let part {
      return try PartRun(
        file: self.workload, part: part, store: store.open(makes: true), threads: speed.threads,
        progress: ProgressLine(isQuiet: speed.quiet)
      ).run(workload)
    }
    try exports.check()
    if let history { _ = try history.entries(of: workload.name) }
    // Before anything is made: a merge that fails leaves no folder.
    let merged = merge ? try merging(workload).results() : nil
    let standard = RunDirectory.standard(workload: workload.name)
    var made = RunDirectory.missing(on: output ?? standard)
    let directory = output ?? RunDirectory.claim(standard)
    if output == nil { made = [directory] + made.dropFirst() }
    do {
      if let merged {
        try report(merged, of: workload, in: directory)
      } else {
        try run(workload, directory)
      }
    } catch {
      RunDirectory.removeEmpty(made)
      throw error
    }
  }

  private var history: HistoryFile? { exporting.export.splitHistory(short).history }

  private var exports: [Export] { exporting.export.splitHistory(short).rest }

  /// Holds the requirements against the results, and adds the history with this run.
  private func judge(_ results: inout RunResults, of workload: Workload) throws {
    guard !results.interrupted else { return }
    let requirements = RequirementResult.all(workload, results.records, of: results.traces)
    results.requirements = requirements.isEmpty ? nil : requirements
    guard let history else { return }
    let entry = HistoryEntry(
      workload: workload.name, started: results.started, larder: results.machine.larder,
      records: results.records, requirements: requirements)
    results.history = try history.entries(of: workload.name) + [entry]
    try history.append(entry)
  }

  private func merging(_ workload: Workload) throws -> Merging {
    try PartRun.check(workload, self.workload)
    return Merging(
      file: self.workload, workload: workload,
      store: try store.open(makes: false),
      progress: ProgressLine(isQuiet: speed.quiet))
  }

  private func writer(_ workload: Workload, _ directory: String) throws -> ReportWriter {
    let writer = ReportWriter(
      directory: directory,
      formats: try workload.reports.map { try ReportRegistry.format(named: $0.rawValue) })
    try writer.prepare()
    return writer
  }

  private func report(
    _ results: RunResults, of workload: Workload, in directory: String
  ) throws {
    let writer = try writer(workload, directory)
    var results = results
    try judge(&results, of: workload)
    try writer.write(results)
    try tell(results, of: writer)
  }

  private func tell(_ results: RunResults, of writer: ReportWriter) throws {
    try exports.write { try ReportRegistry.files($0, of: results) }
    if !exports.takesOutput {
      Output.text(ComparisonTable.text(of: results, colour: Output.usesColour))
      Output.text(ComparisonTable.boxes(of: results, width: Output.pictureTerminal.width))
    }
    Output.flush()
    let progress = ProgressLine(isQuiet: speed.quiet)
    for format in writer.formats { progress.note("\(writer.directory)/\(format.fileName)") }
    if let failure = RequirementResult.failure(results.requirements ?? []) {
      throw CheckOutcome(description: failure, code: 1)
    }
  }

  private func run(_ workload: Workload, _ directory: String) throws {
    let writer = try writer(workload, directory)
    let progress = ProgressLine(isQuiet: speed.quiet)
    let plan = try RunPlanner(
      workload: workload, store: try store.ifNamed(), threads: speed.threads, progress: progress
    ).plan()
    for note in plan.notes { progress.note(note) }
    let sweep = plan.sweep(of: workload, threads: speed.threads)
    let decisions = try advise(plan, of: workload, into: directory, progress)
    var results = RunResults(
      of: plan, of: workload, file: self.workload, threads: speed.threads)
    results.decisions = decisions.isEmpty ? nil : decisions
    try run(sweep, plan, workload, &results, writer, progress)
    try tell(results, of: writer)
    if results.interrupted {
      throw Interrupted(description: "stopped: \(Self.done(results)) are in \(directory)")
    }
  }

  private func advise(
    _ plan: RunPlan, of workload: Workload, into directory: String, _ progress: ProgressLine
  ) throws -> [Decision] {
    guard workload.advise != nil else { return [] }
    // With a store, only the traces of missing cells were read.
    var traces = plan.traces
    if traces?.facts.count != plan.facts.count { traces = nil }
    let all =
      try traces
      ?? RunPlanner(
        workload: workload, store: nil, threads: speed.threads, progress: progress
      ).prepare()
    let run = AdviceRun(
      settings: try AdviceRun.settings(of: workload, threads: speed.threads),
      progress: progress)
    let decisions = try run.advice(for: all, of: workload)
    for advice in decisions {
      try run.write(advice, into: directory, isOneOfSeveral: decisions.count > 1)
      run.print(advice, isOneOfSeveral: decisions.count > 1, box: false)
    }
    Output.flush()
    return decisions.compactMap(\.decision)
  }

  private func run(
    _ sweep: Sweep, _ plan: RunPlan, _ workload: Workload, _ results: inout RunResults,
    _ writer: ReportWriter, _ progress: ProgressLine
  ) throws {
    let unfinished = results
    let saving = SavingPace()
    let stored = plan.stored
    results.records = try progress.run(
      sweep,
      finished: { records in
        try saving.whenDue {
          var partial = unfinished
          partial.records = records()
          partial.interrupted = true
          partial.finished = RunDirectory.timestamp()
          if !sweep.isComplete(partial.records) { try writer.write(partial) }
        }
      },
      end: { records in
        let computed =
          plan.records == nil
          ? "" : ", \(stored) from the store, \(records.count - stored) computed,"
        return NumberText.counted(records.count, "cell") + computed
      })
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
    if stored > 0 {
      results.notes.append(
        "\(stored) of \(results.plannedCells) cells were read from a store and not computed "
          + "again, so they have no timings.")
    }
    try judge(&results, of: workload)
    try writer.write(results)
    if let fault = plan.records?.keepingFault {
      progress.note("some results could not be stored: \(fault)")
    }
  }

  private static func done(_ results: RunResults) -> String {
    let cells = "\(results.records.count) of \(results.plannedCells) cells"
    guard let execution = results.execution else { return cells }
    let executed = results.records.count { !($0.executions ?? []).isEmpty }
    return "\(cells), \(executed) of \(execution.cells) executed,"
  }

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
