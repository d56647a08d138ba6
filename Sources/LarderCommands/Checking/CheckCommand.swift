import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderHarness
import LarderReports
import LarderSupport

/// `larder check`: compares a workload with its baseline.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Fail if a cache or policy regressed against its baseline.",
    discussion: """
      Counts are compared exactly, or within the tolerances of the workload file. Memory and disk \
      use of executed cells may grow by 5 %, unless the workload file sets another tolerance. \
      Timings are compared on request only: --against times both builds in alternation on this \
      machine. Absolute times are never stored. See docs/ci.md.

      Examples:
        larder check Workloads/ci.yaml --update
        larder check Workloads/ci.yaml --baseline larder-baseline.json --junit check.xml
        larder check Workloads/ci.yaml --against ../main/.build/release/larder --budget 2m

      Exit codes: 0 passed; 1 regression; 2 invalid arguments or input; 3 with --strict: timing \
      inconclusive, or a baseline figure was not measured.
      """)

  @Argument(help: "The workload file.", completion: .file())
  var workload: String

  @Option(help: "The baseline file.", completion: .file())
  var baseline = "larder-baseline.json"

  @Flag(help: "Write the baseline and print the changes.")
  var update = false

  @Option(help: "Write a JUnit file.", completion: .file())
  var junit: String?

  @Option(help: "Check this cell only, such as memory/lru/1%. May be repeated.")
  var only: [String] = []

  @Flag(help: "Fail on any change of a count, improvements included.")
  var exact = false

  @Flag(
    help: """
      Exit with 3 if nothing failed but timing is inconclusive or a baseline figure was not \
      measured.
      """)
  var strict = false

  @OptionGroup var timing: CheckTimingOptions

  @OptionGroup var speed: SpeedOptions

  func validate() throws {
    if update, !only.isEmpty {
      throw ValidationError("--update writes the whole baseline; remove --only")
    }
    if update, junit != nil {
      throw ValidationError("--update accepts all changes; --junit needs a check without it")
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
    var result = try run.result()
    if update {
      guard result.unequalExecutions.isEmpty else {
        Output.text(CheckDocument(result).plain(colour: Output.usesColour))
        throw CheckOutcome(description: "no baseline was written: \(failure(of: result))", code: 1)
      }
      result.isAccepted = true
    }
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
        description: "the check failed; \(failure(of: result))", code: 1)
    case .inconclusive:
      guard strict else { return }
      throw CheckOutcome(
        description: CheckDocument(result).whatIsMissing
          ?? "timing inconclusive; try a larger --budget", code: 3)
    }
  }
}

extension CheckCommand {
  /// The remedy of a failed check: `--update` accepts only what a baseline stores.
  private func failure(of result: CheckResult) -> String {
    if !result.unequalExecutions.isEmpty {
      return "executed counts differ from the simulation, which is a fault of the cache or of "
        + "Larder that --update cannot accept"
    }
    let instructions =
      result.resources?.worse.contains { $0.resource == .instructionsPerRequest } ?? false
    if result.failsAgainstBaseline(withInstructions: timing.against == nil) {
      let command = ShellText.check(workload, baseline: baseline) + " --update"
      return "if the change is intended, accept it with: " + command
        + (instructions && timing.against == nil ? " --instructions" : "")
    }
    return "this build is compared with --against, so no baseline accepts it; if the slowdown is "
      + "intended, compare with a build that has it"
  }
}

/// Options of the comparison of timings.
struct CheckTimingOptions: ParsableArguments {
  @Option(
    help: """
      Executable of another build of larder. The same cells run in both builds, in alternation, \
      until the test decides which is slower. With --instructions, instructions are counted in \
      both, too.
      """,
    completion: .file())
  var against: String?

  @Flag(
    help: """
      Count the instructions of each timed cell with valgrind, which must be installed, and \
      compare them with those of --against, else with the baseline. Instruction counts do not \
      depend on the machine's load. With --update, store them. Takes about 100 times as long as \
      the cells.
      """)
  var instructions = false

  @Option(help: "Slowdown to detect, with --against. By default 5%.")
  var threshold: Share?

  @Option(
    help: """
      Increase to detect in the 99th percentile of get latency of executed cells, with --against. \
      By default 10%.
      """)
  var latencyThreshold: Share?

  @Option(
    help: """
      Total time to measure all cells, such as 60s or 5m. With --against and --instructions, 0s \
      times nothing.
      """, transform: AmountOption.seconds)
  var budget = 60

  @Flag(
    help: """
      Time and count all cells, even after a failure.
      """)
  var keepGoing = false

  @Option(help: "Seed for the order of runs. Random by default.")
  var seed: UInt64?

  @Option(
    help: "Folder, on the disk to measure, for the files of executed caches.",
    completion: .directory)
  var scratch: String?

  func validate() throws {
    if latencyThreshold != nil, against == nil {
      throw ValidationError("--latency-threshold requires --against")
    }
    if budget == 0, against == nil || !instructions {
      throw ValidationError("--budget 0s times nothing; it requires --against and --instructions")
    }
  }

  /// The settings for a comparison.
  var settings: TimingSettings {
    TimingSettings(
      threshold: threshold?.ratio ?? 0.05,
      latencyThreshold: latencyThreshold?.ratio ?? 0.1,
      budgetSeconds: Double(budget), seed: seed ?? UInt64.random(in: 1...999_999),
      keepsGoing: keepGoing)
  }

  /// Words that repeat these options in a shell.
  var words: [String] {
    var words: [String] = []
    if let against { words += ["--against", ShellWord.path(against)] }
    if instructions { words.append("--instructions") }
    if let threshold { words += ["--threshold", "\(threshold)"] }
    if let latencyThreshold {
      words += ["--latency-threshold", "\(latencyThreshold)"]
    }
    if budget != 60, against != nil {
      words += ["--budget", "\(budget)s"]
    }
    if keepGoing { words.append("--keep-going") }
    if let seed { words += ["--seed", "\(seed)"] }
    if let scratch { words += ["--scratch", ShellWord.path(scratch)] }
    return words
  }
}

/// Annotations and the summary of a step in GitHub Actions.
enum GitHubStep {
  /// The longest summary of a step that GitHub takes is 1 MiB.
  private static let bytesMax = 1_000_000

  /// Prints annotations and adds to the step's summary, where there is a GitHub to read them.
  static func tell(_ result: CheckResult) {
    let environment = ProcessInfo.processInfo.environment
    guard environment["GITHUB_ACTIONS"] == "true" else { return }
    Output.text(CheckAnnotations.text(of: result))
    guard let path = environment["GITHUB_STEP_SUMMARY"], !path.isEmpty else { return }
    let text = CheckDocument(result).markdown + "\n"
    guard text.utf8.count <= bytesMax else {
      Notes.line("the summary is too long for GitHub and was skipped")
      return
    }
    // Appended: other steps and commands write to the file as well.
    guard let file = fopen(path, "a") else {
      Notes.line("\(path): cannot be written: \(String(cString: strerror(errno)))")
      return
    }
    let written = fputs(text, file)
    if fclose(file) != 0 || written < 0 { Notes.line("\(path): cannot be written") }
  }
}
