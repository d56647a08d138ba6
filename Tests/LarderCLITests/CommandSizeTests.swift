import Foundation
import TestSupport
import Testing

/// Budgets of the command line: an option counts in each command that has it.
@Suite(.endsInTime) struct CommandSizeTests {
  private struct Help: Decodable {
    var command: Command
  }

  private struct Command: Decodable {
    struct Argument: Decodable {
      struct Name: Decodable {
        var name: String
      }
      var kind: String
      var shouldDisplay: Bool
      var names: [Name]?
    }
    var commandName: String
    var shouldDisplay: Bool?
    var arguments: [Argument]?
    var subcommands: [Command]?

    /// Visible commands without subcommands.
    var leaves: [Command] {
      let commands = (subcommands ?? []).filter { $0.commandName != "help" }
      return commands.isEmpty
        ? [self] : commands.filter { $0.shouldDisplay ?? true }.flatMap(\.leaves)
    }

    var options: Int {
      (arguments ?? []).count { argument in
        let names = (argument.names ?? []).map(\.name)
        return argument.kind != "positional" && argument.shouldDisplay && !names.contains("help")
          && !names.contains("version")
      }
    }
  }

  @Test func commandsAndOptionsAreFew() throws {
    let run = try LarderProcess(["--experimental-dump-help"])
    let leaves = try JSONDecoder().decode(Help.self, from: Data(run.output.utf8)).command.leaves
    let options = leaves.reduce(0) { $0 + $1.options }
    #expect(leaves.count <= 16 && leaves.count > 10, "\(leaves.map(\.commandName))")
    #expect(
      options <= 90 && options > 50, "\(options): \(leaves.map { ($0.commandName, $0.options) })")
  }
}
