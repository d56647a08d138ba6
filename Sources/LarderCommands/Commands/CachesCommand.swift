import ArgumentParser
import Foundation

/// `larder caches`: what a workload can execute.
struct CachesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "caches",
    abstract: "List the caches and presets that a workload can name.",
    discussion: """
      A configuration in a workload file selects a cache with 'cache: nscache' and a preset with \
      'preset: yycache'.

      Examples:
        larder caches
        larder caches --format json
      """)

  @Option(help: "Output format.")
  var format: PoliciesCommand.ListFormat = .text

  func run() throws {
    let entries = CacheEntry.all
    switch format {
    case .text: for entry in entries { Output.line(entry.paragraph) }
    case .csv: Output.text(CacheEntry.csv(entries))
    case .json: Output.line(try CacheEntry.json(entries))
    }
  }
}
