import LarderExperiments

/// All formats of plans, by name. Adding one is a file in this folder and a line in `all`.
package enum PlanRegistry {
  /// Every format, in the order in which lists show them.
  package static let all: [any PlanFormat] = [
    TablePlan(),
    JSONPlan(),
    SlurmPlan(),
    KubernetesPlan(),
  ]

  /// The format with this name.
  ///
  /// - Throws: `PlanFormatError.unknown` with the names there are.
  package static func format(named name: String) throws(PlanFormatError) -> any PlanFormat {
    let wanted = name.lowercased()
    guard let format = all.first(where: { $0.name == wanted }) else {
      throw .unknown(name, known: all.map(\.name))
    }
    return format
  }
}

/// A way to write down how a workload is run in parts.
package protocol PlanFormat: Sendable {
  /// The name users type.
  var name: String { get }
  /// One line: what it is for.
  var summary: String { get }

  /// The text, ending in a line feed.
  ///
  /// - Throws: `PlanFormatError` when the format cannot have the plan.
  func text(of job: PlannedJob) throws(PlanFormatError) -> String
}

/// A plan with the words of the commands that carry it out.
package struct PlannedJob: Sendable {
  /// The parts.
  package let plan: PartPlan
  /// The program, as it is typed.
  package let program: String
  /// The workload file.
  package let file: String
  /// The folder of the store.
  package let store: String
  /// The folder for the results; nil for the standard one.
  package let output: String?
  /// What only some formats use.
  package let settings: PlanSettings

  /// A plan with its commands.
  package init(
    plan: PartPlan, program: String, file: String, store: String, output: String?,
    settings: PlanSettings = PlanSettings()
  ) {
    self.plan = plan
    self.program = program
    self.file = file
    self.store = store
    self.output = output
    self.settings = settings
  }

  /// `larder run` of a part; the part is a word of a shell already.
  func run(part: String) -> String {
    "\(ShellWord.quoted(program)) run \(ShellWord.path(file)) "
      + "\(ShellWord.option("--store", store)) --part \(part) --threads \(plan.threads)"
  }

  /// `larder merge`.
  var merge: String {
    "\(ShellWord.quoted(program)) merge \(ShellWord.path(file)) "
      + ShellWord.option("--store", store)
      + (output.map { " " + ShellWord.option("--output", $0) } ?? "")
  }

  /// The part that prepares traces.
  var prepare: String { run(part: "prepare") }

  /// Refuses words that a script cannot hold: those that a shell would read as another word than
  /// they are.
  func check(for format: String) throws(PlanFormatError) {
    for word in [program, file, store, output ?? "", plan.workload, settings.mount]
    where !ShellWord.isPortable(word) {
      throw .word(format: format, word)
    }
  }

  /// The workload's name as schedulers take names: lower-case letters, digits and hyphens.
  var name: String {
    let kept = plan.workload.lowercased().utf8.map { byte -> UInt8 in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) ? byte : UInt8(ascii: "-")
    }
    let words = String(decoding: kept.prefix(40), as: UTF8.self).split(separator: "-")
    return (["larder"] + words).joined(separator: "-")
  }

  /// A limit of time for something that is estimated to take so long: three times that, as nodes
  /// differ and disks are shared, and five minutes to begin. Whole minutes.
  static func limitMinutes(_ seconds: Double) -> Int {
    Int(min(1e6, (seconds * 3 / 60).rounded(.up))) + 5
  }

  /// A limit of memory: a quarter more than is estimated. Whole MiB, at least 256.
  static func limitMebibytes(_ bytes: UInt64) -> UInt64 { max(256, (bytes / 4 * 5) >> 20) + 1 }

  /// The longest of the parts, and the one that takes the most memory.
  static func most(_ parts: some Sequence<PartPlan.Part>) -> (seconds: Double, bytes: UInt64) {
    parts.reduce((0, 0)) { (max($0.0, $1.seconds), max($0.1, $1.memoryBytes)) }
  }
}

/// What only some formats use.
package struct PlanSettings: Sendable, Hashable {
  /// Slurm's `MaxArraySize`: tasks of an array are numbered below it.
  package var arrayMaximum = 1001
  /// The image with larder, for Kubernetes.
  package var image = "larder"
  /// The persistent volume claim with workload, traces and store, for Kubernetes.
  package var claim = "larder"
  /// Where that volume is mounted.
  package var mount = "/larder"

  /// The settings by default.
  package init() {}
}

/// Why a format cannot have a plan.
package enum PlanFormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No format has the name.
  case unknown(String, known: [String])
  /// More parts than it can have.
  case tooManyParts(format: String, parts: Int, most: Int)
  /// Words that it cannot express.
  case word(format: String, String)

  /// One line for a person.
  package var description: String {
    switch self {
    case .unknown(let name, let known):
      return "unknown format '\(name)'; known are \(known.joined(separator: ", "))"
    case .tooManyParts(let format, let parts, let most):
      return "\(parts) parts, but '\(format)' can have at most \(most): use fewer parts"
    case .word(let format, let word):
      return "'\(format)' cannot have a name with control characters, or one of more than 400 "
        + "bytes: \(ShellWord.quoted(word))"
    }
  }
}
