import ArgumentParser
import Foundation
import Larder
import LarderEngine
import LarderExperiments
import LarderHarness
import LarderPolicies
import LarderReports
import LarderTraces

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

  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case policies, admissions, caches, formats, generators

    var entries: [ListEntry] {
      switch self {
      case .policies: PolicyRegistry.everything.map { .policy($0.description) }
      case .admissions: AdmissionRegistry.all.map { .admission($0.description) }
      case .caches:
        ContenderRegistry.all.map { .cache($0) } + CachePreset.all.map { .preset($0) }
      case .formats: FormatRegistry.all.map { .format($0.description) }
      case .generators: GeneratorRegistry.all.map { .generator($0.description) }
      }
    }
  }

  enum Format: String, ExpressibleByArgument, CaseIterable {
    case text, csv, json
  }

  @Argument(help: "What to list.")
  var kind: Kind

  @Option(help: "Output format.")
  var format: Format = .text

  func run() throws {
    let entries = kind.entries
    switch format {
    case .text: for entry in entries { Output.line(entry.paragraph) }
    case .csv:
      let rows = [entries.first?.fields.map(\.name) ?? []] + entries.map { $0.fields.map(\.cell) }
      for row in rows { Output.text(CSVText.line(row.map { CSVText.field($0) })) }
    case .json:
      let objects = entries.map { entry in
        entry.fields.reduce(into: [:]) { $0[$1.name] = $1.json }
      }
      let data = try JSONSerialization.data(
        withJSONObject: objects, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
      Output.line(String(decoding: data, as: UTF8.self))
    }
  }
}

struct ListEntry {
  struct Field {
    var name: String
    var cell: String
    var json: Any?

    init(_ name: String, _ text: String?) { (self.name, cell, json) = (name, text ?? "", text) }

    init(_ name: String, _ flag: Bool) { (self.name, cell, json) = (name, "\(flag)", flag) }

    init(_ name: String, _ words: [String]) {
      (self.name, cell, json) = (name, words.joined(separator: " "), words)
    }

    init(_ parameters: [Parameter]) {
      name = "parameters"
      cell = parameters.map { "\($0.name)=\($0.defaultValue)" }.joined(separator: " ")
      json = parameters.map { parameter in
        var object = [
          "name": parameter.name, "default": parameter.defaultValue, "summary": parameter.summary,
        ]
        object["in_real_caches"] = parameter.realDefault
        return object
      }
    }
  }

  var title: String
  var lines: [String]
  var fields: [Field]

  var paragraph: String {
    let wrapped = lines.flatMap { AdviceText.wrapped($0, width: 92) }
    return title + "\n" + wrapped.map { "    \($0)\n" }.joined()
  }

  static func policy(_ policy: PolicyDescription) -> ListEntry {
    let real = policy.parameters.compactMap { parameter in
      parameter.realDefault.map { "\(parameter.name)=\($0)" }
    }
    var lines = [policy.summary] + policy.parameters.map(line)
    if let specs = try? PolicyRegistry.configurations(of: policy.name) {
      lines.append(
        "Configurations to try: \(specs.count) (larder advise --policy \(policy.name); "
          + "larder simulate --policy '\(policy.name):*')")
    }
    if !policy.needs.names.isEmpty {
      lines.append("Needs: \(policy.needs.names.joined(separator: ", "))")
    }
    return ListEntry(
      title: "\(policy.name)  (\(policy.family.rawValue))", lines: lines + [policy.paper],
      fields: [
        Field("name", policy.name), Field("family", policy.family.rawValue),
        Field("summary", policy.summary), Field(policy.parameters),
        Field("needs", policy.needs.names), Field("random", policy.isRandom),
        Field("paper", policy.paper),
        Field("in_real_caches", real),
      ])
  }

  static func admission(_ filter: AdmissionDescription) -> ListEntry {
    let needs = filter.comparesVictims ? ["Needs: a policy that can name its next victim"] : []
    return ListEntry(
      title: filter.name,
      lines: [filter.summary] + filter.parameters.map(line) + needs + [filter.paper],
      fields: [
        Field("name", filter.name), Field("summary", filter.summary), Field(filter.parameters),
        Field("compares_victims", filter.comparesVictims), Field("random", filter.isRandom),
        Field("paper", filter.paper),
      ])
  }

  static func format(_ format: FormatDescription) -> ListEntry {
    ListEntry(
      title: format.name,
      lines: [format.summary, "Layout: \(format.layout)"] + format.parameters.map(line),
      fields: [
        Field("name", format.name), Field("summary", format.summary), Field(format.parameters),
        Field("layout", format.layout),
      ])
  }

  static func generator(_ generator: GeneratorDescription) -> ListEntry {
    ListEntry(
      title: generator.name,
      lines: [generator.summary] + generator.parameters.map(line) + [generator.source],
      fields: [
        Field("name", generator.name), Field("summary", generator.summary),
        Field(generator.parameters), Field("source", generator.source),
      ])
  }

  static func cache(_ cache: CacheContender) -> ListEntry {
    let kinds = ConfigurationKind.allCases.filter(cache.kinds.contains).map(\.rawValue)
    let isServer = CacheServer(rawValue: cache.name) != nil
    let policy = cache.runsPolicies && !isServer ? "any policy" : "built-in policy"
    return ListEntry(
      title: "\(cache.name)  (\(kinds.joined(separator: ", ")); \(policy))", lines: [cache.summary],
      fields: [
        Field("name", cache.name), Field("sort", "cache"), Field("kinds", kinds),
        Field("runs_policies", cache.runsPolicies && !isServer), Field("summary", cache.summary),
        Field("models", nil), Field("differences", nil),
      ])
  }

  static func preset(_ preset: CachePreset) -> ListEntry {
    let kind: ConfigurationKind =
      preset.disk == nil ? .memory : preset.memory == nil ? .disk : .hybrid
    var lines = [
      preset.summary, "Models: \(preset.models)", "Differences: \(preset.differences)",
    ]
    if preset.isEncrypted, !DiskEncryption.isAvailable {
      lines.append("Only simulated by this program, which is built without the trait Encryption.")
    }
    return ListEntry(
      title: "\(preset.name)  (preset; \(kind.rawValue))", lines: lines,
      fields: [
        Field("name", preset.name), Field("sort", "preset"), Field("kinds", [kind.rawValue]),
        Field("runs_policies", true), Field("summary", preset.summary),
        Field("models", preset.models), Field("differences", preset.differences),
      ])
  }

  private static func line(_ parameter: Parameter) -> String {
    let real = parameter.realDefault.map { "; in real caches \(parameter.name)=\($0)" } ?? ""
    return "\(parameter.name)=\(parameter.defaultValue)  \(parameter.summary)\(real)"
  }
}
