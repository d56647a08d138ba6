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

/// A representation of a plan for running a workload in parts.
package protocol PlanFormat: Sendable {
  var name: String { get }
  /// A one-line description.
  var summary: String { get }

  /// Returns the text, ending in a line feed.
  ///
  /// - Throws: `PlanFormatError` if the format cannot express the plan.
  func text(of job: PlannedJob) throws(PlanFormatError) -> String
}

/// A plan with the commands that carry it out.
package struct PlannedJob: Sendable {
  package let plan: PartPlan
  /// The program as typed.
  package let program: String
  package let file: String
  package let store: String
  /// The folder for the results; nil for the default.
  package let output: String?
  package let settings: PlanSettings

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

  /// `larder run` of a part; the part is already a shell word.
  func run(part: String) -> String {
    "\(ShellWord.quoted(program)) run \(ShellWord.path(file)) "
      + "\(ShellWord.option("--store", store)) --part \(part) --threads \(plan.threads)"
  }

  var merge: String {
    "\(ShellWord.quoted(program)) run \(ShellWord.path(file)) --merge "
      + ShellWord.option("--store", store)
      + (output.map { " " + ShellWord.option("--output", $0) } ?? "")
  }

  /// The command that prepares the traces.
  var prepare: String { run(part: "prepare") }

  /// Rejects words that a script cannot hold because a shell would change them.
  func check(for format: String) throws(PlanFormatError) {
    for word in [program, file, store, output ?? "", plan.workload, settings.mount]
    where !ShellWord.isPortable(word) {
      throw .word(format: format, word)
    }
  }

  /// The workload's name in the form that schedulers accept: lower-case letters, digits and
  /// hyphens.
  var name: String {
    let kept = plan.workload.lowercased().utf8.map { byte -> UInt8 in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) ? byte : UInt8(ascii: "-")
    }
    let words = String(decoding: kept.prefix(40), as: UTF8.self).split(separator: "-")
    return (["larder"] + words).joined(separator: "-")
  }

  /// A time limit: three times the estimate, because nodes differ and disks are shared, plus five
  /// minutes for the start. Whole minutes.
  static func limitMinutes(_ seconds: Double) -> Int {
    Int(min(1e6, (seconds * 3 / 60).rounded(.up))) + 5
  }

  /// A memory limit: a quarter above the estimate. Whole MiB, at least 256.
  static func limitMebibytes(_ bytes: UInt64) -> UInt64 { max(256, (bytes / 4 * 5) >> 20) + 1 }

  /// The largest time and the largest memory of the parts.
  static func most(_ parts: some Sequence<PartPlan.Part>) -> (seconds: Double, bytes: UInt64) {
    parts.reduce((0, 0)) { (max($0.0, $1.seconds), max($0.1, $1.memoryBytes)) }
  }
}

/// Settings of single formats.
package struct PlanSettings: Sendable, Hashable {
  /// Slurm's `MaxArraySize`: tasks of an array are numbered below it.
  package var arrayMaximum = 1001
  /// The image with larder, for Kubernetes.
  package var image = "larder"
  /// The persistent volume claim with workload, traces and store, for Kubernetes.
  package var claim = "larder"
  /// The mount point of that volume.
  package var mount = "/larder"

  package init() {}
}

package enum PlanFormatError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknown(String, known: [String])
  /// More parts than the format supports.
  case tooManyParts(format: String, parts: Int, most: Int)
  /// Words that the format cannot express.
  case word(format: String, String)

  /// A one-line description for users.
  package var description: String {
    switch self {
    case .unknown(let name, let known):
      return "unknown format '\(name)'; known are \(known.joined(separator: ", "))"
    case .tooManyParts(let format, let parts, let most):
      return "\(parts) parts, but '\(format)' supports at most \(most): use fewer parts"
    case .word(let format, let word):
      return "'\(format)' does not support names with control characters, or of more than 400 "
        + "bytes: \(ShellWord.quoted(word))"
    }
  }
}
