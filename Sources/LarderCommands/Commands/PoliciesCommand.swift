import ArgumentParser
import Foundation
import LarderEngine
import LarderReports

/// `larder policies`: what there is to choose from.
struct PoliciesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "policies",
    abstract: "List every policy and bound with family, parameters, needs and paper.",
    discussion: """
      Examples:
        larder policies
        larder policies --format csv
        larder policies --format markdown --results Results/examples/policies/* > docs/policies.md
      """)

  /// How a list is printed.
  enum ListFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case csv
    case json
  }

  /// How the policies are: as a list, or as a page of the documentation.
  enum PageFormat: String, ExpressibleByArgument, CaseIterable {
    case text
    case csv
    case json
    case markdown
  }

  @Option(help: "Output format.")
  var format: PageFormat = .text

  @Option(
    parsing: .upToNextOption,
    help: "Results folders with runs of all policies, for the results in the Markdown page.",
    completion: .directory)
  var results: [String] = []

  func validate() throws {
    guard results.isEmpty || format == .markdown else {
      throw ValidationError("--results requires --format markdown")
    }
  }

  func run() throws {
    let policies = PolicyRegistry.everything.map(\.description)
    switch format {
    case .text: for policy in policies { Output.line(PolicyText.paragraph(policy)) }
    case .csv: Output.text(PolicyText.csv(policies))
    case .json: Output.line(try PolicyText.json(policies))
    case .markdown:
      let runs = try results.map { folder in try ResultsFolder.results(in: folder) }
      Output.text(PolicyPage(policies, runs).markdown)
    }
  }
}
