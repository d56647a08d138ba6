import ArgumentParser
import Foundation
import LarderEngine

/// `larder policies`: what there is to choose from.
struct PoliciesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policies",
    abstract: "List every policy, and bound on policies, with family, parameters, needs and paper.",
    discussion: """
      Examples:
        larder policies
        larder policies --format csv
      """)

  /// How the list is printed.
  enum ListFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case csv
    case json
  }

  @Option(help: "How to print the list.")
  var format: ListFormat = .text

  func run() throws {
    let policies = (PolicyRegistry.all + PolicyRegistry.bounds).map(\.description)
    switch format {
    case .text: for policy in policies { Output.line(PolicyText.paragraph(policy)) }
    case .csv: Output.text(PolicyText.csv(policies))
    case .json: Output.line(try PolicyText.json(policies))
    }
  }
}
