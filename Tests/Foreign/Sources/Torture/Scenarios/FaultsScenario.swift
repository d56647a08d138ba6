/// System calls that fail, one after the other; see `PowerScenario`.
enum FaultsScenario: Scenario {
  static let name = "faults"
  static let summary = "calls of the system that fail, each in its turn"
  static let rounds = 360

  static func launch(_ program: String, _ arguments: [String]) -> Launch {
    DiskTortureProgram.launch(arguments, note: "every call of a sequence in its turn")
  }

  static func round(_ random: inout Random, _ counts: inout Counts) throws {
    throw Failure("rounds are done by DiskTorture")
  }
}
