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

/// Descriptions of policies as text, CSV and JSON.
enum PolicyText {
  /// A paragraph for a terminal.
  static func paragraph(_ policy: PolicyDescription) -> String {
    var text = "\(policy.name)  (\(policy.family.rawValue))\n"
    text += wrapped(policy.summary)
    text += parameters(policy.parameters)
    if let specs = try? PolicyRegistry.configurations(of: policy.name) {
      text += wrapped(
        "Configurations to try: \(specs.count) (larder advise --policy \(policy.name); "
          + "larder simulate --policy '\(policy.name):*')")
    }
    if !policy.needs.names.isEmpty {
      text += wrapped("Needs: \(policy.needs.names.joined(separator: ", "))")
    }
    return text + wrapped(policy.paper)
  }

  /// One row a policy; parameters are `name=default`, separated by spaces, and so are those whose
  /// default is another in real caches.
  static func csv(_ policies: [PolicyDescription]) -> String {
    csv(
      header: "name,family,summary,parameters,needs,random,paper,in_real_caches",
      rows: policies.map { policy in
        [
          policy.name, policy.family.rawValue, policy.summary, defaults(policy.parameters),
          policy.needs.names.joined(separator: " "), policy.isRandom ? "true" : "false",
          policy.paper, realParameters(policy),
        ]
      })
  }

  /// A list of objects with the same fields as the CSV; parameters are objects.
  static func json(_ policies: [PolicyDescription]) throws -> String {
    struct Entry: Encodable {
      var name: String
      var family: String
      var summary: String
      var parameters: [Parameter]
      var needs: [String]
      var random: Bool
      var paper: String
    }
    return try json(
      entries: policies.map { policy in
        Entry(
          name: policy.name, family: policy.family.rawValue, summary: policy.summary,
          parameters: policy.parameters.map(Parameter.init), needs: policy.needs.names,
          random: policy.isRandom, paper: policy.paper)
      })
  }

  /// A parameter in JSON.
  struct Parameter: Encodable {
    var name: String
    var fallback: String
    var inRealCaches: String?
    var summary: String

    init(_ parameter: PolicyParameter) {
      name = parameter.name
      fallback = parameter.defaultValue
      inRealCaches = parameter.realDefault
      summary = parameter.summary
    }

    enum CodingKeys: String, CodingKey {
      case name
      case fallback = "default"
      case inRealCaches = "in_real_caches"
      case summary
    }
  }

  /// A list as JSON.
  static func json(entries: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(entries), as: UTF8.self)
  }

  /// A header and rows as CSV.
  static func csv(header: String, rows: [[String]]) -> String {
    let lines = rows.map { $0.map { CSVText.field($0) }.joined(separator: ",") }
    return ([header] + lines).joined(separator: "\n") + "\n"
  }

  /// Lines of parameters for a terminal.
  static func parameters(_ parameters: [PolicyParameter]) -> String {
    parameters.map { parameter in
      let real = parameter.realDefault.map { "; in real caches \(parameter.name)=\($0)" } ?? ""
      return wrapped(
        "\(parameter.name)=\(parameter.defaultValue)  \(parameter.summary)\(real)")
    }.joined()
  }

  /// `name=default` of each, separated by spaces.
  static func defaults(_ parameters: [PolicyParameter]) -> String {
    parameters.map { "\($0.name)=\($0.defaultValue)" }.joined(separator: " ")
  }

  private static func realParameters(_ policy: PolicyDescription) -> String {
    policy.parameters.compactMap { parameter in
      parameter.realDefault.map { "\(parameter.name)=\($0)" }
    }.joined(separator: " ")
  }

  /// Text in lines of at most 96 characters, set in by four.
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

/// Descriptions of admission filters.
extension PolicyText {
  /// A paragraph for a terminal.
  static func paragraph(_ filter: AdmissionDescription) -> String {
    var text = "\(filter.name)\n" + wrapped(filter.summary) + parameters(filter.parameters)
    if filter.comparesVictims { text += wrapped("Needs: a policy that can name its next victim") }
    return text + wrapped(filter.paper)
  }

  /// One row a filter; parameters are `name=default`, separated by spaces.
  static func csv(_ filters: [AdmissionDescription]) -> String {
    csv(
      header: "name,summary,parameters,compares_victims,random,paper",
      rows: filters.map { filter in
        [
          filter.name, filter.summary, defaults(filter.parameters),
          filter.comparesVictims ? "true" : "false", filter.isRandom ? "true" : "false",
          filter.paper,
        ]
      })
  }

  /// A list of objects with the same fields as the CSV; parameters are objects.
  static func json(_ filters: [AdmissionDescription]) throws -> String {
    struct Entry: Encodable {
      var name: String
      var summary: String
      var parameters: [Parameter]
      var comparesVictims: Bool
      var random: Bool
      var paper: String
      enum CodingKeys: String, CodingKey {
        case comparesVictims = "compares_victims"
        case name, summary, parameters, random, paper
      }
    }
    return try json(
      entries: filters.map {
        Entry(
          name: $0.name, summary: $0.summary, parameters: $0.parameters.map(Parameter.init),
          comparesVictims: $0.comparesVictims, random: $0.isRandom, paper: $0.paper)
      })
  }
}
