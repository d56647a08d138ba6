import Foundation

/// The command line.
enum TortureCommand {
  static let usage = """
    usage: Torture SCENARIO [--rounds N] [--seconds S] [--seed N] [--round K]
           Torture list

      --rounds N    end after N rounds (by default each scenario's own number)
      --seconds S   or after S seconds, whichever comes first (default: no limit)
      --seed N      the seed of all random numbers (default 1)
      --round K     only round K, as a failure names it

    Exits with 1 when a round fails, and says how to repeat it. Scenarios:

    \(Scenarios.all.map { "  \($0.name.padding(toLength: 14, withPad: " ", startingAt: 0))"
      + $0.summary }.joined(separator: "\n"))
    """

  static func run(_ arguments: [String]) -> Int32 {
    if arguments.first == "victim" { return KillVictim.run(Array(arguments.dropFirst())) }
    if arguments == ["list"] {
      for scenario in Scenarios.all { say(scenario.name) }
      return 0
    }
    guard let options = Options(arguments),
      let scenario = Scenarios.all.first(where: { $0.name == options.scenario })
    else {
      FileHandle.standardError.write(Data((usage + "\n").utf8))
      return 2
    }
    if let rounds = options.batch { return Batch.run(scenario, rounds, seed: options.seed) }
    return Supervisor(scenario: scenario, options: options).run() ? 0 : 1
  }
}
