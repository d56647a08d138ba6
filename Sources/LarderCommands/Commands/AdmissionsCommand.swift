import ArgumentParser
import LarderEngine

/// `larder admissions`: the filters that can stand before a policy.
struct AdmissionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admissions",
    abstract: "List every admission filter with its parameters and paper.",
    discussion: """
      A filter decides whether a missing object is stored, and works with any policy. Name it with \
      'larder simulate --admission second-hit', with 'admission:' in a workload file, or with \
      'admission' in the configuration of a cache.

      Examples:
        larder admissions
        larder simulate web.csv --policy lru --admission always,second-hit --capacity 1%
      """)

  @Option(help: "Output format.")
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
