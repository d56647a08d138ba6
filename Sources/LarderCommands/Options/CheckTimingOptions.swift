import ArgumentParser
import LarderChecks
import LarderReports
import LarderWorkloads

/// How timings are compared.
struct CheckTimingOptions: ParsableArguments {
  @Option(
    help: """
      Executable of another build of larder: runs the same cells in both, in alternation, \
      until it is known which is slower. With --instructions also counts them in both.
      """,
    completion: .file())
  var against: String?

  @Flag(
    help: """
      Time calibration kernels next to each cell, and compare the ratios with those in the \
      baseline. Weaker than --against. With --update, measure and store the ratios.
      """)
  var timings = false

  @Flag(
    help: """
      Count the instructions of each timed cell with valgrind, which must be installed, and \
      compare them with those of --against, or else in the baseline: a function of the program, \
      not of the machine's load. With --update, store them. Takes about 100 times as long as the \
      cells.
      """)
  var instructions = false

  @Option(
    help: """
      The slowdown to detect. By default 5% with --against, 25% with --timings.
      """)
  var threshold: ThresholdOption?

  @Option(
    help: """
      The growth to detect of the 99th percentile of the latency of gets, with --against: of \
      executed cells. By default 10%.
      """)
  var latencyThreshold: ThresholdOption?

  @Option(
    help: """
      Total time for measuring all cells, such as 60s or 5m. 0s with --against and \
      --instructions: nothing is timed.
      """)
  var budget = BudgetOption(seconds: 60)

  @Flag(
    help: """
      Time and count everything, even if a count got worse or a cell is known to be slower.
      """)
  var keepGoing = false

  @Option(help: "Seed of the order of runs. By default different each time.")
  var seed: UInt64?

  @Option(
    help: "Folder, on the disk to measure, for the files of executed caches.",
    completion: .directory)
  var scratch: String?

  func validate() throws {
    if against != nil, timings {
      throw ValidationError("--against and --timings exclude each other; use one of them")
    }
    if latencyThreshold != nil, against == nil {
      throw ValidationError("--latency-threshold is for --against, which is missing")
    }
    if budget.seconds == 0, against == nil || !instructions {
      throw ValidationError("--budget 0s times nothing; it is for --against with --instructions")
    }
  }

  /// The settings for a comparison.
  var settings: TimingSettings {
    TimingSettings(
      threshold: threshold?.share ?? (against == nil ? 0.25 : 0.05),
      latencyThreshold: latencyThreshold?.share ?? 0.1,
      budgetSeconds: Double(budget.seconds), seed: seed ?? UInt64.random(in: 1...999_999),
      keepsGoing: keepGoing)
  }

  /// What repeats these options in a shell.
  var words: [String] {
    var words: [String] = []
    if let against { words += ["--against", ShellWord.path(against)] }
    if timings { words.append("--timings") }
    if instructions { words.append("--instructions") }
    if let threshold { words += ["--threshold", ShellWord.quoted(threshold.text)] }
    if let latencyThreshold {
      words += ["--latency-threshold", ShellWord.quoted(latencyThreshold.text)]
    }
    if budget.seconds != 60, against != nil || timings {
      words += ["--budget", "\(budget.seconds)s"]
    }
    if keepGoing { words.append("--keep-going") }
    return words
  }
}

/// A slowdown, such as `5%`.
struct ThresholdOption: ExpressibleByArgument {
  /// As a part of one.
  let share: Double
  /// As it was written.
  let text: String

  /// The slowdown that the text stands for; nil for anything else.
  init?(argument: String) {
    guard let share = Share(parsing: argument) else { return nil }
    self.share = Double(share.billionths) / 1e9
    text = argument
  }
}

/// A time to measure in, such as `60s`.
struct BudgetOption: ExpressibleByArgument {
  /// Whole seconds.
  let seconds: UInt64

  /// So many seconds.
  init(seconds: UInt64) { self.seconds = seconds }

  /// The time that the text stands for; nil for anything else.
  init?(argument: String) {
    guard let seconds = Quantity.seconds(argument), (0...86_400).contains(seconds) else {
      return nil
    }
    self.seconds = seconds
  }

  /// The time, for help.
  var defaultValueDescription: String { "\(seconds)s" }
}
