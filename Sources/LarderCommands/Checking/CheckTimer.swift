import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderHarness
import LarderReports
import LarderSupport
import LarderTraces

struct CheckTimer {
  let command: CheckCommand
  let settings: TimingSettings
  let workload: Workload
  let traces: WorkloadTraces
  let cells: [TimedCell]
  let progress: ProgressLine

  struct Outcome {
    var comparisons: [TimingComparison] = []
    var method: String?
    var notes: [String] = []
  }

  func run(against other: String) throws -> Outcome {
    var outcome = try pairs(against: other)
    if !settings.findsThreshold {
      outcome.notes.append(
        "A slowdown of \(percent(settings.threshold)) passes: code placement alone can cause as "
          + "much, so the threshold is a ratio of \(border). To detect smaller ones, use "
          + "--instructions.")
    }
    return outcome
  }

  private static let start = ContinuousClock.now

  private static func now() -> Double {
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }

  private func pairs(against other: String) throws -> Outcome {
    let (other, own) = (try command.executable(other), try command.executable())
    progress.note(
      "Timing \(cells.count) cells against \(other), \(Int(settings.budgetSeconds)) s at most, "
        + "seed \(settings.seed)")
    var outcome = Outcome()
    let launch = try launcher(other: other, own: own)
    var timing = PairedTiming(
      settings, against: other, now: Self.now, progress: { progress.note($0) },
      launch: launch)
    outcome.comparisons = try timing.run(cells.map(\.name))
    let left = cells.count - Set(outcome.comparisons.map(\.name)).count
    if left > 0 { outcome.notes.append("\(left) cells are not available in both builds.") }
    let latencies = outcome.comparisons.filter { $0.metric == .latency }
    let executed = outcome.comparisons.filter { $0.metric == .time && $0.name.mode == .execute }
    if latencies.count < executed.count {
      outcome.notes.append("Latencies were not compared: \(other) does not report them.")
    }
    let open = Set(outcome.comparisons.filter { $0.verdict == .inconclusive }.map(\.name)).count
    if open > 0, !settings.keepsGoing, outcome.comparisons.contains(where: { $0.verdict == .fail })
    {
      let cells = open == 1 ? "1 cell is" : "\(open) cells are"
      outcome.notes.append(
        "\(cells) undecided: timing stops when a cell fails. To time the others, use --keep-going.")
    }
    let different = outcome.comparisons.filter { $0.doesDifferentWork && $0.metric == .time }
      .map { "\($0.name)" }
    if !different.isEmpty {
      outcome.notes.append(
        "The builds have different counts, so they do different work: "
          + different.joined(separator: ", "))
    }
    outcome.method =
      "Time of this build divided by that of \(other), from pairs of runs, with new processes "
      + "for each block; seed \(settings.seed). A confidence interval above \(border) fails, "
      + "one below it passes. Detects a slowdown of \(detected); the false-positive rate over "
      + "all cells and looks is at most \(percent(settings.errorRate))."
    if !latencies.isEmpty {
      outcome.method? +=
        " Latency is the 99th percentile of gets, and fails with an interval above "
        + "\(ratio(settings.latencyBorderGrowth))."
    }
    return outcome
  }

  private var detected: String {
    settings.findsThreshold
      ? percent(settings.threshold) : "more than \(percent(settings.borderSlowdown))"
  }

  private var border: String { ratio(settings.borderSlowdown) }

  private func ratio(_ growth: Double) -> String {
    NumberText.fixed(1 + growth, decimals: 3) ?? "–"
  }

  private func percent(_ share: Double) -> String {
    NumberText.trimmed(share * 100, decimals: 4) + " %"
  }

  private func launcher(
    other: String, own: String
  ) throws -> (BuildSide) throws -> any TimedProcess {
    // Not the generator of the order, so that the two do not disturb each other.
    var random = SeededGenerator(seed: settings.seed ^ 0x5eed)
    let start: (BuildSide) throws -> any TimedProcess = { side in
      try WorkerProcess(
        program: side == .other ? other : own, arguments: command.worker,
        padding: Int(random.next(below: 4096)), cancellation: Interrupts.cancellation)
    }
    let probe = try start(.other)
    defer { probe.end() }
    _ = try probe.ready()
    return start
  }
}

extension BaselineError {
  /// True if the file was a baseline once, so that --update may replace it.
  func isReplaceable(_ bytes: Data) -> Bool {
    switch self {
    case .damaged: bytes.isEmpty || bytes.range(of: Data("\"larder-baseline\"".utf8)) != nil
    case .absent, .unreadable, .foreign, .otherWorkload: false
    }
  }
}

struct TimeWorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "time-worker", abstract: "Time cells for 'larder check'.", shouldDisplay: false)

  /// The share by which every measurement is prolonged: see `LarderProgram.main`.
  static let slowdown = Locked(0.0)

  @Argument(help: "The workload file.")
  var workload: String

  func run() throws {
    let workload = try WorkloadDecoder().decode(contentsOf: self.workload)
    let traces = try WorkloadTraces.prepare(workload)
    let cells = try Plan.cells(of: workload, facts: traces.facts)
    let timer = CellTimer(
      workload, traces: traces.table,
      scratch: FileManager.default.temporaryDirectory.path,
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

extension CheckCommand {
  var worker: [String] { ["time-worker", workload] }

  /// The path of another build, or of this one.
  func executable(_ other: String? = nil) throws(UsageError) -> String {
    guard let path = other ?? Bundle.main.executablePath else {
      throw UsageError("cannot run this program again: its path is unknown")
    }
    return path
  }
}
