import ArgumentParser
import LarderEngine

/// `larder admissions`: the filters that can stand before a policy.
struct AdmissionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admissions",
    abstract: "List every admission filter with parameters and paper.",
    discussion: """
      A filter stands before any policy: '--admission second-hit' of simulate, 'admission:' of a \
      configuration or a tier in a workload file, and 'admission' of a cache's configuration.

      Examples:
        larder admissions
        larder simulate web.csv --policy lru --admission always,second-hit --capacity 1%
      """)

  @Option(help: "How to print the list.")
  var format: PoliciesCommand.ListFormat = .text

  func run() throws {
    let filters = AdmissionRegistry.all.map(\.description)
    switch format {
    case .text: for filter in filters { Output.line(PolicyText.paragraph(filter)) }
    case .csv: Output.text(PolicyText.csv(filters))
    case .json: Output.line(try PolicyText.json(filters))
    }
  }
}
