import ArgumentParser
import Foundation
import LarderExperiments
import LarderReports
import LarderTraces

/// `larder advise-regret`: measures `larder advise` against the best of its search space. For
/// `make advise-regret`.
struct AdviseRegretCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "advise-regret",
    abstract: "Measure what 'larder advise' loses against the best of its search space.",
    shouldDisplay: false)

  @Argument(help: "Traces, compressed or not.", completion: .file())
  var traces: [String]

  @Option(help: "Share of the requests that designs are chosen on, next to the whole trace.")
  var learn: String = "20%"

  @Option(help: "Folder for regret.csv and README.md.", completion: .directory)
  var output: String

  @Option(help: "Seed of samples and random policies.")
  var seed: UInt64 = 1

  @OptionGroup var format: FormatOption

  @OptionGroup var speed: SpeedOptions

  func run() throws {
    Interrupts.listen()
    guard let share = Share(parsing: learn), share.billionths < 1_000_000_000 else {
      throw UsageError("--learn '\(learn)': expected a share above 0% and below 100%, such as 20%")
    }
    let progress = ProgressLine(isQuiet: speed.quiet)
    var rows: [Regret.Row] = []
    for path in traces {
      progress.begin("Reading \(path)")
      let trace = try PreparedTrace.load(
        path: path, format: try format.spec(), threads: speed.threads,
        progress: TraceReading.check(progress))
      let regret = Regret(
        trace: trace, learned: share, seed: seed, threads: speed.threads,
        cancellation: Interrupts.cancellation)
      do {
        rows += try regret.rows { progress.note($0) }
      } catch AdviceError.cancelled {
        throw Interrupted(description: "stopped; traces that are complete were written")
      }
      // After each trace: the large ones take long.
      try write(rows)
    }
    Output.text(Regret.summary(rows))
  }

  private func write(_ rows: [Regret.Row]) throws {
    let table = Regret.csvHeader + rows.map { Regret.csv($0) }.joined()
    let text = """
      # Regret of larder advise

      Points that the advised design is below the best of its search space, at eight capacities \
      from 0.1 % to 50 % of the footprint of each trace. `whole`: chosen and scored on the whole \
      trace. `\(learn)`: chosen on that share of the requests, scored on the rest. regret.csv has \
      every cell. `make advise-regret TRACES=folder` repeats the table.

      \(Regret.summary(rows))
      """
    try ReportWriter(directory: output, formats: []).write([
      ReportFile(name: "regret.csv", text: table), ReportFile(name: "README.md", text: text),
    ])
  }
}
