import ArgumentParser
import Foundation
import Larder
import LarderEngine
import LarderExperiments
import LarderHarness
import LarderPolicies
import LarderReports
import LarderTraces

/// `larder list`: names that options and workload files take, with their parameters.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List policies, admission filters, caches, trace formats or generators.",
    discussion: """
      Kinds:
        policies    eviction policies and bounds, for --policy and 'policies:'
        admissions  filters in front of any policy, which decide if a missing object is admitted, \
        for --admission and 'admission:'
        caches      caches and presets that a workload can execute, for 'cache:' and 'preset:'
        formats     trace formats, for --format and 'format:'
        generators  trace generators, for 'larder trace generate' and 'generator:'

      Examples:
        larder list policies
        larder list admissions --format csv
        larder list formats
      """)

  /// The lists.
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case policies, admissions, caches, formats, generators

    /// The list of this kind.
    var listing: any Listing {
      switch self {
      case .policies:
        List(PolicyRegistry.everything.map { PolicyEntry($0.description) })
      case .admissions:
        List(AdmissionRegistry.all.map { AdmissionEntry($0.description) })
      case .caches: List(CacheEntry.all)
      case .formats:
        List(FormatRegistry.all.map { FormatEntry($0.description) })
      case .generators:
        List(GeneratorRegistry.all.map { GeneratorEntry($0.description) })
      }
    }
  }

  /// Output formats.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, csv, json
  }

  @Argument(help: "What to list.")
  var kind: Kind

  @Option(help: "Output format.")
  var format: Format = .text

  func run() throws {
    let listing = kind.listing
    switch format {
    case .text: for paragraph in listing.paragraphs { Output.line(paragraph) }
    case .csv: Output.text(listing.csv)
    case .json: Output.line(try listing.json())
    }
  }
}

/// A list in each output format.
protocol Listing {
  /// Paragraphs for a terminal.
  var paragraphs: [String] { get }
  /// A header and one row an entry.
  var csv: String { get }
  /// An array of objects with the fields of the CSV.
  func json() throws -> String
}

/// An entry of a list. Its encoding is its JSON.
protocol ListEntry: Encodable {
  /// Column titles of the CSV.
  static var columns: [String] { get }
  /// Cells of the CSV.
  var cells: [String] { get }
  /// Name and what is in brackets behind it.
  var title: String { get }
  /// Lines below the title.
  var lines: [String] { get }
}

/// Entries as text, CSV and JSON.
private struct List<Entry: ListEntry>: Listing {
  let entries: [Entry]

  init(_ entries: [Entry]) { self.entries = entries }

  var paragraphs: [String] {
    entries.map { $0.title + "\n" + $0.lines.map(ListText.wrapped).joined() }
  }

  var csv: String {
    ([Entry.columns] + entries.map { $0.cells.map { CSVText.field($0) } }).map { CSVText.line($0) }
      .joined()
  }

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(entries), as: UTF8.self)
  }
}

/// Text of lists.
private enum ListText {
  /// Text in lines of at most 96 characters, indented by four.
  static func wrapped(_ text: String) -> String {
    var lines = [""]
    for word in text.split(whereSeparator: \.isWhitespace) {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + word.count < 92 {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines.reduce(into: "") { $0 += "    \($1)\n" }
  }
}

/// A parameter of a listed component.
private struct ListedParameter: Encodable {
  var name: String
  var fallback: String
  var inRealCaches: String?
  var summary: String

  init(_ parameter: Parameter) {
    name = parameter.name
    fallback = parameter.defaultValue
    inRealCaches = parameter.realDefault
    summary = parameter.summary
  }

  enum CodingKeys: String, CodingKey {
    case name, summary
    case fallback = "default"
    case inRealCaches = "in_real_caches"
  }

  /// A line for a terminal.
  var line: String {
    let real = inRealCaches.map { "; in real caches \(name)=\($0)" } ?? ""
    return "\(name)=\(fallback)  \(summary)\(real)"
  }

  /// `name=default` of each, separated by spaces.
  static func defaults(_ parameters: [ListedParameter]) -> String {
    parameters.map { "\($0.name)=\($0.fallback)" }.joined(separator: " ")
  }
}

/// An eviction policy or a bound.
private struct PolicyEntry: ListEntry {
  var name: String
  var family: String
  var summary: String
  var parameters: [ListedParameter]
  var needs: [String]
  var random: Bool
  var paper: String

  init(_ policy: PolicyDescription) {
    name = policy.name
    family = policy.family.rawValue
    summary = policy.summary
    parameters = policy.parameters.map(ListedParameter.init)
    needs = policy.needs.names
    random = policy.isRandom
    paper = policy.paper
  }

  static let columns = [
    "name", "family", "summary", "parameters", "needs", "random", "paper", "in_real_caches",
  ]

  var cells: [String] {
    let real = parameters.compactMap { parameter in
      parameter.inRealCaches.map { "\(parameter.name)=\($0)" }
    }
    return [
      name, family, summary, ListedParameter.defaults(parameters), needs.joined(separator: " "),
      random ? "true" : "false", paper, real.joined(separator: " "),
    ]
  }

  var title: String { "\(name)  (\(family))" }

  var lines: [String] {
    var lines = [summary] + parameters.map(\.line)
    if let specs = try? PolicyRegistry.configurations(of: name) {
      lines.append(
        "Configurations to try: \(specs.count) (larder advise --policy \(name); "
          + "larder simulate --policy '\(name):*')")
    }
    if !needs.isEmpty { lines.append("Needs: \(needs.joined(separator: ", "))") }
    return lines + [paper]
  }
}

/// An admission filter.
private struct AdmissionEntry: ListEntry {
  var name: String
  var summary: String
  var parameters: [ListedParameter]
  var comparesVictims: Bool
  var random: Bool
  var paper: String

  enum CodingKeys: String, CodingKey {
    case comparesVictims = "compares_victims"
    case name, summary, parameters, random, paper
  }

  init(_ filter: AdmissionDescription) {
    name = filter.name
    summary = filter.summary
    parameters = filter.parameters.map(ListedParameter.init)
    comparesVictims = filter.comparesVictims
    random = filter.isRandom
    paper = filter.paper
  }

  static let columns = ["name", "summary", "parameters", "compares_victims", "random", "paper"]

  var cells: [String] {
    [
      name, summary, ListedParameter.defaults(parameters), comparesVictims ? "true" : "false",
      random ? "true" : "false", paper,
    ]
  }

  var title: String { name }

  var lines: [String] {
    [summary] + parameters.map(\.line)
      + (comparesVictims ? ["Needs: a policy that can name its next victim"] : []) + [paper]
  }
}

/// A trace format.
private struct FormatEntry: ListEntry {
  var name: String
  var summary: String
  var layout: String
  var parameters: [ListedParameter]

  init(_ format: FormatDescription) {
    name = format.name
    summary = format.summary
    layout = format.layout
    parameters = format.parameters.map(ListedParameter.init)
  }

  static let columns = ["name", "summary", "parameters", "layout"]

  var cells: [String] { [name, summary, ListedParameter.defaults(parameters), layout] }

  var title: String { name }

  var lines: [String] { [summary, "Layout: \(layout)"] + parameters.map(\.line) }
}

/// A generator of traces.
private struct GeneratorEntry: ListEntry {
  var name: String
  var summary: String
  var parameters: [ListedParameter]
  var source: String

  init(_ generator: GeneratorDescription) {
    name = generator.name
    summary = generator.summary
    parameters = generator.parameters.map(ListedParameter.init)
    source = generator.source
  }

  static let columns = ["name", "summary", "parameters", "source"]

  var cells: [String] { [name, summary, ListedParameter.defaults(parameters), source] }

  var title: String { name }

  var lines: [String] { [summary] + parameters.map(\.line) + [source] }
}

/// A cache or preset that workload files may name.
private struct CacheEntry: ListEntry {
  enum Sort: String, Encodable {
    case cache, preset
  }

  var name: String
  var sort: Sort
  var kinds: [String]
  /// True if it runs the policies that a workload names.
  var runsPolicies: Bool
  var summary: String
  /// The system that a preset models.
  var models: String?
  /// Differences between a preset and that system.
  var differences: String?

  enum CodingKeys: String, CodingKey {
    case name, sort, kinds, summary, models, differences
    case runsPolicies = "runs_policies"
  }

  /// Caches, then presets.
  static var all: [CacheEntry] {
    ContenderRegistry.all.map { CacheEntry($0) } + CachePreset.all.map { CacheEntry($0) }
  }

  init(_ contender: CacheContender) {
    name = contender.name
    sort = .cache
    kinds = ConfigurationKind.allCases.filter(contender.kinds.contains).map(\.rawValue)
    runsPolicies = contender.runsPolicies
    summary = contender.summary
  }

  init(_ preset: CachePreset) {
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

  static let columns = [
    "name", "sort", "kinds", "runs_policies", "summary", "models", "differences",
  ]

  var cells: [String] {
    [
      name, sort.rawValue, kinds.joined(separator: " "), runsPolicies ? "true" : "false", summary,
      models ?? "", differences ?? "",
    ]
  }

  var title: String {
    let kinds = kinds.joined(separator: ", ")
    return switch sort {
    case .preset: "\(name)  (preset; \(kinds))"
    case .cache: "\(name)  (\(kinds); \(runsPolicies ? "any policy" : "built-in policy"))"
    }
  }

  var lines: [String] {
    [
      summary, models.map { "Models: \($0)" }, differences.map { "Differences: \($0)" },
      CachePreset.named(name)?.disk?.isEncrypted ?? false && !DiskEncryption.isAvailable
        ? "Only simulated by this program, which is built without the trait Encryption." : nil,
    ]
    .compactMap { $0 }
  }
}
