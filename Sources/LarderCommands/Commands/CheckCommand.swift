import ArgumentParser
import Foundation
import LarderChecks
import LarderReports
import LarderSystem

/// `larder check`: holds the caches of a workload against what they were.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Fail when a cache or policy got worse than its baseline.",
    discussion: """
      Counts are compared exactly, or within the tolerances of the workload file. Memory and disk \
      of executed cells may grow by 5 %, or what the workload file says. Timings are compared on \
      request only: --against times both builds in alternation on this machine; \
      --timings times calibration kernels next to each cell and compares the ratios with those \
      in the baseline. Seconds are never stored. See docs/ci.md.

      Examples:
        larder check Workloads/ci.yaml --update
        larder check Workloads/ci.yaml --baseline larder-baseline.json --junit check.xml
        larder check Workloads/ci.yaml --against ../main/.build/release/larder --budget 2m

      Exit codes: 0 passed; 1 something got worse; 2 the request was wrong; 3 with --strict, \
      timing inconclusive or a figure of the baseline not measured.
      """)

  @Argument(help: "The workload file.", completion: .file())
  var workload: String

  @Option(help: "The baseline file.", completion: .file())
  var baseline = "larder-baseline.json"

  @Flag(help: "Write the baseline, and print what changed.")
  var update = false

  @Option(help: "Write a JUnit file.", completion: .file())
  var junit: String?

  @Option(help: "Check this cell only, such as memory/lru/1%. May be repeated.")
  var only: [String] = []

  @Flag(help: "Fail for every change of a count, gains included.")
  var exact = false

  @Flag(
    help: """
      Exit with 3 if nothing failed, and timing is inconclusive or a figure of the baseline was \
      not measured.
      """)
  var strict = false

  @OptionGroup var timing: CheckTimingOptions

  @OptionGroup var speed: SpeedOptions

  func validate() throws {
    if update, !only.isEmpty {
      throw ValidationError("--update writes the whole baseline; remove --only")
    }
    if update, timing.against != nil {
      throw ValidationError("--update does not store results of --against; remove one of them")
    }
  }

  func run() throws {
    Interrupts.listen()
    let run = CheckRun(self)
    if let junit { try ReportWriter.check(junit) }
    if update { try ReportWriter.check(baseline) }
    let result = try run.result()
    Output.text(CheckDocument(result).plain(colour: Output.usesColour))
    if let junit { try ReportWriter.write(CheckJUnit.text(of: result), to: junit) }
    if update {
      try run.write()
      Output.line("\nwritten: \(TextSafety.singleLine(baseline))")
      return
    }
    GitHubStep.tell(result)
    try conclude(result)
  }

  /// The exit code.
  private func conclude(_ result: CheckResult) throws {
    switch result.verdict {
    case .pass: return
    case .fail:
      throw CheckOutcome(
        description: "the check failed; if the change is intended, accept it with: "
          + ShellText.check(workload, baseline: baseline) + " --update",
        code: 1)
    case .inconclusive:
      guard strict else { return }
      throw CheckOutcome(
        description: CheckDocument(result).whatIsMissing
          ?? "timing inconclusive; try a larger --budget", code: 3)
    }
  }
}
