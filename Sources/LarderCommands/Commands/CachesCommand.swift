import ArgumentParser
import Foundation
import Larder
import LarderExperiments
import LarderHarness
import LarderReports

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

/// A cache or preset as `larder caches` lists it.
struct CacheEntry: Encodable {
  /// What it is.
  enum Sort: String, Encodable {
    case cache, preset
  }

  /// The name that workload files use.
  let name: String
  /// How they use it.
  let sort: Sort
  /// The shapes it can have.
  let kinds: [String]
  /// Whether it runs the policies that a workload names.
  let runsPolicies: Bool
  /// What it is.
  let summary: String
  /// What a preset models.
  let models: String?
  /// Where it differs from that.
  let differences: String?

  private enum CodingKeys: String, CodingKey {
    case name, sort, kinds, summary, models, differences
    case runsPolicies = "runs_policies"
  }

  /// Everything there is, caches first.
  static var all: [CacheEntry] {
    ContenderRegistry.all.map { CacheEntry($0) } + CachePreset.all.map { CacheEntry($0) }
  }

  private init(_ contender: CacheContender) {
    name = contender.name
    sort = .cache
    kinds = Self.names(contender.kinds)
    runsPolicies = contender.runsPolicies
    summary = contender.summary
    models = nil
    differences = nil
  }

  private init(_ preset: CachePreset) {
    let kind: ConfigurationKind =
      preset.disk == nil ? .memory : preset.memory == nil ? .disk : .hybrid
    name = preset.name
    sort = .preset
    kinds = [kind.rawValue]
    runsPolicies = true
    summary = preset.summary
    models = preset.models
    differences = preset.differences
  }

  private static func names(_ kinds: Set<ConfigurationKind>) -> [String] {
    ConfigurationKind.allCases.filter(kinds.contains).map(\.rawValue)
  }

  /// A paragraph for a terminal.
  var paragraph: String {
    let kinds = kinds.joined(separator: ", ")
    let policies =
      switch sort {
      case .preset: "preset; \(kinds)"
      case .cache: runsPolicies ? "\(kinds); any policy" : "\(kinds); built-in policy"
      }
    let notes = [
      summary, models.map { "Models: \($0)" }, differences.map { "Differences: \($0)" },
      CachePreset.named(name)?.disk?.isEncrypted ?? false && !DiskEncryption.isAvailable
        ? "Only simulated by this program, which is built without the trait Encryption." : nil,
    ].compactMap { $0 }
    return "\(name)  (\(policies))\n" + notes.map(PolicyText.wrapped).joined()
  }

  /// One row an entry.
  static func csv(_ entries: [CacheEntry]) -> String {
    let rows = entries.map { entry in
      [
        entry.name, entry.sort.rawValue, entry.kinds.joined(separator: " "),
        entry.runsPolicies ? "true" : "false", entry.summary, entry.models ?? "",
        entry.differences ?? "",
      ].map { CSVText.field($0) }
    }
    let titles = [
      "name", "sort", "kinds", "runs_policies", "summary", "models", "differences",
    ]
    return ([titles] + rows).map { CSVText.line($0) }.joined()
  }

  /// A list of objects with the same fields as the CSV; kinds are a list.
  static func json(_ entries: [CacheEntry]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(entries), as: UTF8.self)
  }
}
