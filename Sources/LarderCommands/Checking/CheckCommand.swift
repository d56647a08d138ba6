import ArgumentParser
import Foundation
import LarderEngine
import LarderExperiments
import LarderHarness
import LarderReports
import LarderSupport

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
        larder check Workloads/ci.yaml --baseline larder-baseline.json --export junit=check.xml
        larder check Workloads/ci.yaml --against ../main/.build/release/larder:budget=2m

      Exit codes: 0 passed; 1 regression; 2 invalid arguments or input; 3 with --strict: timing \
      inconclusive, or a baseline figure was not measured.
      """)

  @Argument(help: "The workload file.", completion: .file())
  var workload: String

  @Option(help: "The baseline file.", completion: .file())
  var baseline = "larder-baseline.json"

  @Flag(help: "Write the baseline and print the changes.")
  var update = false

  /// Short for `--export junit=`.
  @Option(help: .hidden) var junit: String?

  @OptionGroup var exporting: ExportOption

  @OptionGroup var short: HistoryOption

  @Option(help: "Check this cell only, such as memory/lru/1%. May be repeated.")
  var only: [String] = []

  @Flag(
    help: """
      Exit with 3 if nothing failed but timing is inconclusive or a baseline figure was not \
      measured.
      """)
  var strict = false

  @OptionGroup var timing: CheckTimingOptions

  @OptionGroup var speed: SpeedOptions

  var history: HistoryFile? { exporting.export.splitHistory(short).history }

  private var exports: [Export] { exporting.export.splitHistory(short).rest.adding("junit", junit) }

  func validate() throws {
    try exporting.export.adding("junit", junit).adding("history", short.history)
      .validate(known: ["markdown", "html", "junit", "history"])
    if update, !only.isEmpty {
      throw ValidationError("--update writes the whole baseline; remove --only")
    }
    if update, !exports.isEmpty {
      throw ValidationError(
        "--update accepts all changes; remove --junit and --export")
    }
    if update, timing.against != nil {
      throw ValidationError("--update does not store results of --against; remove one of them")
    }
  }

  func run() throws {
    Interrupts.listen()
    let run = CheckRun(self)
    if let other = timing.against?.program, !FileManager.default.isExecutableFile(atPath: other) {
      throw UsageError("\(other): no such program; --against expects an executable of larder")
    }
    try exports.check()
    if update { try ReportWriter.check(baseline) }
    var result = try run.result()
    if update {
      guard result.unequalExecutions.isEmpty else {
        Output.text(CheckDocument(result).plain(colour: Output.usesColour))
        throw CheckOutcome(description: "no baseline was written: \(failure(of: result))", code: 1)
      }
      result.isAccepted = true
    }
    try exports.write { format in
      let document = CheckDocument(result)
      let text =
        format == "junit"
        ? CheckJUnit.text(of: result)
        : format == "html" ? document.html() : document.markdown + "\n"
      return [ReportFile(name: "", text: text)]
    }
    if !exports.takesOutput { Output.text(CheckDocument(result).plain(colour: Output.usesColour)) }
    if update {
      try run.write()
      Output.line("\nwritten: \(TextSafety.singleLine(baseline))")
      return
    }
    GitHubStep.tell(result)
    try conclude(result)
  }

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
          ?? "timing inconclusive; try a larger budget", code: 3)
    }
  }
}

extension CheckCommand {
  private func failure(of result: CheckResult) -> String {
    if let failure = RequirementResult.failure(result.requirements) { return failure }
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

struct CheckTimingOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Executable of another build of larder. The same cells run in both builds, in alternation, \
      until the test decides which is slower. After colons: threshold=5% (the slowdown to detect), \
      latency=10% (the increase to detect in the 99th percentile of gets of executed cells), \
      budget=60s (total time; 0s times nothing, with --instructions), seed=1 (of the order of runs).
      """, valueName: "build"),
    completion: .file(), transform: Rival.init(parsing:))
  var against: Rival?

  @Flag(
    help: """
      Count the instructions of each timed cell with valgrind, which must be installed, and \
      compare them with those of --against, else with the baseline. Instruction counts do not \
      depend on the machine's load. With --update, store them. Takes about 100 times as long as \
      the cells.
      """)
  var instructions = false

  @Flag(help: "Time and count all cells, even after a failure.")
  var keepGoing = false

  func validate() throws {
    if against?.budget == 0, !instructions {
      throw ValidationError("budget=0s times nothing; it requires --instructions")
    }
  }

  var settings: TimingSettings {
    var settings = TimingSettings.standard
    settings.threshold = against?.threshold ?? settings.threshold
    settings.latencyThreshold = against?.latency ?? settings.latencyThreshold
    settings.budgetSeconds = against?.budget ?? settings.budgetSeconds
    settings.seed = against?.seed ?? UInt64.random(in: 1...999_999)
    settings.keepsGoing = keepGoing
    return settings
  }

  var words: [String] {
    (against.map { ["--against", ShellWord.path($0.text)] } ?? [])
      + (instructions ? ["--instructions"] : []) + (keepGoing ? ["--keep-going"] : [])
  }
}

struct Rival {
  let text: String
  let program: String
  let threshold: Double?
  let latency: Double?
  let budget: Double?
  let seed: UInt64?

  private static let parameters = [
    Parameter("threshold", .share, default: "", "slowdown to detect"),
    Parameter("latency", .share, default: "", "increase of the 99th percentile to detect"),
    Parameter("budget", .duration(0...86_400), default: "", "total time"),
    Parameter("seed", .count(0...Int.max), default: "", "seed of the order of runs"),
  ]

  /// Parses a path with options after it; the path may have colons of its own.
  init(parsing text: String) throws {
    let parts = text.components(separatedBy: ":")
    let path = parts.dropLast(parts.reversed().prefix { $0.contains("=") }.count)
    program = path.joined(separator: ":")
    guard !program.isEmpty else { throw ValidationError("expected the executable of a build") }
    self.text = text
    let given = try ParameterReader(
      ComponentSpec(parsing: (["build"] + parts[path.count...]).joined(separator: ":")),
      parameters: Self.parameters)
    threshold = try given.share("threshold")
    latency = try given.share("latency")
    budget = try given.text("budget").map { _ in try given.number("budget") }
    seed = try given.text("seed").map { _ in UInt64(try given.whole("seed")) }
  }
}

enum GitHubStep {
  /// The longest summary of a step that GitHub takes is 1 MiB.
  private static let bytesMax = 1_000_000

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
