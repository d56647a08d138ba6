/// Disks with power cuts. The rounds are run by the program DiskTorture of the package itself,
/// because its simulated disk needs the library's internal interface.
enum PowerScenario: Scenario {
  static let name = "power"
  static let summary = "power cuts that lose, reorder and tear what was not synced"
  static let rounds = 2_000

  static func launch(_ program: String, _ arguments: [String]) -> Launch {
    DiskTortureProgram.launch(arguments, note: "50 power cuts a round, on disks in memory")
  }

  static func round(_ random: inout Random, _ counts: inout Counts) throws {
    throw Failure("rounds are done by DiskTorture")
  }
}
