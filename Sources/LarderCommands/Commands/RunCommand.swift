import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderHarness
import LarderReports
import LarderSupport
import LarderTraces

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
        larder run Workloads/zipf.yaml --store /shared/store
        larder run Workloads/zipf.yaml --store /shared/store --part 3/10

      With --store, cells whose counts are in the store are not computed again; they have no \
      timings. With --part, only the store is written: see docs/clusters.md.
      """)

  @Argument(help: "The workload file (YAML; see docs/workloads.md).", completion: .file())
  var workload: String

  @Option(
    help: "Folder for the files. By default Results/<workload>/<date-time>.",
    completion: .directory)
  var output: String?

  @Option(
    help: """
      Folder, on the disk to measure, for the files of executed caches. By default the system's \
      temporary folder.
      """,
    completion: .directory)
  var scratch: String?

  @OptionGroup var store: StoreOptions

  @Option(
    help: ArgumentHelp(
      """
      Compute one part of the cells into the store and write nothing else: k/N, auto (the task \
      index set by Slurm, Kubernetes or AWS Batch), auto/N, or prepare (the traces).
      """, valueName: "part"))
  var part: String?

  @OptionGroup var speed: SpeedOptions

  func validate() throws {
    guard part != nil else { return }
    if output != nil {
      throw ValidationError("--part writes to the store only, so --output has no effect")
    }
    if store.noStore { throw ValidationError("--part needs a store; remove --no-store") }
  }

  func run() throws {
    Interrupts.listen()
    let workload = try WorkloadDecoder().decode(contentsOf: self.workload)
    if let part {
      let path = try RequiredStoreOption.path(store.store)
      return try PartRun(
        file: self.workload, part: part,
        store: ResultStore(path, makes: true, rules: .current()), threads: speed.threads,
        progress: ProgressLine(isQuiet: speed.quiet)
      ).run(workload)
    }
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
    let plan = try RunPlanner(
      workload: workload, store: try store.named(), threads: speed.threads, progress: progress
    ).plan()
    for note in plan.notes { progress.note(note) }
    var sweep = plan.sweep(of: workload, threads: speed.threads)
    try advise(plan, of: workload, into: directory, progress)
    if let scratch { sweep.scratch = scratch }
    var results = RunResults(
      of: plan, of: workload, file: self.workload, threads: speed.threads)
    try run(sweep, plan, &results, writer, progress)
    Output.text(ComparisonTable.text(of: results, colour: Output.usesColour))
    Output.flush()
    for format in formats { progress.note("\(directory)/\(format.fileName)") }
    if results.interrupted {
      throw Interrupted(description: "stopped: \(Self.done(results)) are in \(directory)")
    }
  }

  /// Makes, prints and writes the decision that the workload asks for.
  private func advise(
    _ plan: RunPlan, of workload: Workload, into directory: String, _ progress: ProgressLine
  ) throws {
    guard let spec = workload.advise else { return }
    // With a store, only the traces of missing cells were read.
    var traces = plan.traces
    if traces?.facts.count != plan.facts.count { traces = nil }
    let all =
      try traces
      ?? RunPlanner(
        workload: workload, store: nil, threads: speed.threads, progress: progress
      ).prepare()
    let run = AdviceRun(
      settings: try AdviceRun.settings(of: spec, in: workload, threads: speed.threads),
      progress: progress)
    let decisions = try run.advice(for: all)
    for advice in decisions {
      try run.write(advice, into: directory, isOneOfSeveral: decisions.count > 1)
      run.print(advice, isOneOfSeveral: decisions.count > 1)
      if decisions.count == 1 { Output.line("") }
    }
    Output.flush()
  }

  /// Runs the sweep and writes the files: while it goes on and at its end.
  private func run(
    _ sweep: Sweep, _ plan: RunPlan, _ results: inout RunResults, _ writer: ReportWriter,
    _ progress: ProgressLine
  ) throws {
    progress.begin(
      "Running \(NumberText.counted(sweep.cells.count, "cell"))", total: sweep.totalRequests)
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
    let stored = plan.stored
    if stored > 0 {
      results.notes.append(
        "\(stored) of \(results.plannedCells) cells were read from a store and not computed "
          + "again, so they have no timings.")
    }
    try writer.write(results)
    if let fault = plan.records?.keepingFault {
      progress.note("some results could not be stored: \(fault)")
    }
    progress.end(
      "\(NumberText.counted(results.records.count, "cell")) in \(SecondsText.since(start))"
        + (plan.records == nil
          ? "" : ": \(stored) from the store, \(results.records.count - stored) computed"))
  }

  /// The number of cells that an interrupted run completed.
  private static func done(_ results: RunResults) -> String {
    let cells = "\(results.records.count) of \(results.plannedCells) cells"
    guard let execution = results.execution else { return cells }
    let executed = results.records.count { !($0.executions ?? []).isEmpty }
    return "\(cells), \(executed) of \(execution.cells) executed,"
  }

  /// A note on cells whose requests are all warm-up; nil if there are none.
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

/// `larder run --part`: computes the cells of one part that are not in the store, and writes
/// nothing but the store.
struct PartRun {
  /// The workload file, for messages.
  let file: String
  /// The part as the user named it: `k/N`, `auto`, `auto/N`, or `prepare`.
  let part: String
  let store: ResultStore
  let threads: Int
  let progress: ProgressLine

  /// The name of the part that prepares traces for all others.
  static let prepare = "prepare"

  /// Runs the part.
  func run(_ workload: Workload) throws {
    try Self.check(workload, file)
    let planner = RunPlanner(
      workload: workload, store: store, threads: threads, mustKeep: true, progress: progress)
    if part == Self.prepare { return try prepare(planner) }
    let (number, variable) = try PartNumber.parse(
      part, environment: ProcessInfo.processInfo.environment)
    let name = "part \(number)" + (variable.map { ", from \($0)" } ?? "")
    progress.note(name)
    let start = ContinuousClock.now
    let plan = try planner.plan(part: number)
    let sweep = plan.sweep(of: workload, threads: threads)
    progress.begin(
      "Running \(NumberText.counted(plan.cells.count, "cell"))", total: sweep.totalRequests)
    let records = try sweep.run(
      cancellation: Interrupts.cancellation,
      observer: Sweep.Observer(
        began: { progress.retitle($0.description) }, replayed: { progress.advance($0) }))
    let stored = plan.stored
    guard sweep.isComplete(records) else {
      throw Interrupted(
        description: "stopped: \(records.count) of \(plan.cells.count) cells of \(name) are in "
          + "\(store.path); run it again for the others")
    }
    progress.end(
      "\(name): \(records.count) cells, \(stored) from the store, \(records.count - stored) "
        + "computed, in \(SecondsText.since(start))")
  }

  /// Prepares all traces and puts them into the store.
  private func prepare(_ planner: RunPlanner) throws {
    let start = ContinuousClock.now
    let (known, prepared) = try planner.traces(in: store)
    let traces = try prepared ?? planner.prepare(shelf: store.shelf(of: known))
    try store.shelve(traces, as: known)
    progress.end(
      "\(known.facts.count) prepared traces in \(store.path), in \(SecondsText.since(start))")
  }

  /// Refuses workloads whose cells are executed: what is measured belongs to one machine.
  static func check(_ workload: Workload, _ file: String) throws(UsageError) {
    guard workload.modes.contains(.execute) else { return }
    throw UsageError(
      "\(file): executed cells are measurements of one machine and cannot be divided into parts; "
        + "run the whole workload, or remove execute from 'mode'")
  }
}

/// The default folder for the files of a run: `Results/<workload>/<date-time>`.
enum RunDirectory {
  /// The folder of all runs.
  static let root = "Results"

  /// The folder for a run of `workload` that starts now, in UTC: names are in the
  /// order of time also where clocks are put back.
  static func standard(workload: String, now: Date = Date()) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd-HHmmss"
    return "\(root)/\(safe(workload))/\(formatter.string(from: now))"
  }

  /// Creates the folder, or with a number appended if it exists: runs that start in the same second
  /// do not overwrite each other. Errors are left to the writer of the first file.
  static func claim(_ path: String) -> String {
    if let folder = folder(of: path) {
      try? FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    }
    for number in 1...1000 {
      let candidate = number == 1 ? path : "\(path)-\(number)"
      if mkdir(candidate, 0o777) == 0 { return candidate }
      if errno != EEXIST { break }
    }
    return path
  }

  /// The folders on the way to `path` that are not there yet, the deepest first.
  static func missing(on path: String) -> [String] {
    var missing: [String] = []
    var rest: String? = path
    while let folder = rest, !FileManager.default.fileExists(atPath: folder) {
      missing.append(folder)
      rest = Self.folder(of: folder)
    }
    return missing
  }

  /// The folder of a path; nil for a plain name.
  private static func folder(of path: String) -> String? {
    var rest = path[...]
    while rest.last == "/" { rest.removeLast() }
    guard let slash = rest.lastIndex(of: "/") else { return nil }
    rest = rest[..<slash]
    while rest.last == "/" { rest.removeLast() }
    return rest.isEmpty ? nil : String(rest)
  }

  /// Removes those of the folders that hold nothing, the first first: a request that failed leaves
  /// none behind.
  static func removeEmpty(_ folders: [String]) {
    for folder in folders where rmdir(folder) != 0 { return }
  }

  /// ISO 8601 with the time zone.
  static func timestamp(_ date: Date = Date()) -> String {
    let formatter = ISO8601DateFormatter()
    formatter.timeZone = .current
    return formatter.string(from: date)
  }

  /// The name without anything that means something in a path.
  static func safe(_ name: String) -> String {
    let kept = name.map { character in
      character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        ? character : "-"
    }
    let text = String(kept)
    return text.allSatisfy { $0 == "." } ? "workload" : text
  }
}

extension RunResults {
  /// Results of a plan, without records yet.
  ///
  /// - Parameter file: The workload file, for the command that repeats the run.
  init(of plan: RunPlan, of workload: Workload, file: String, threads: Int) {
    self.init(
      workload: workload.name, workloadDescription: workload.description,
      command: "\(ShellText.command([LarderProgram.name, "run"])) \(ShellWord.path(file))",
      started: RunDirectory.timestamp(), plannedCells: plan.cells.count, threads: threads,
      machine: .current(), traces: plan.facts,
      latencyModel: workload.latency?.describe(for: Set(plan.cells.map(\.cell.kind))),
      warmUp: workload.warmUp.description,
      execution: ExecutionConditions(
        workload.execution ?? ExecutionSpec(), cells: plan.cells,
        repetitions: workload.repetitions, hasLatency: workload.latency != nil),
      caches: CacheFacts.all(of: plan.cells),
      notes: plan.notes + Plan.notes(of: plan.cells, in: workload))
    assumptions = ConfigurationAssumptions.all(of: workload)
  }
}
