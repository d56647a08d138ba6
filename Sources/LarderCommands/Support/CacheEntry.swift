import Foundation
import LarderExperiments
import LarderReports

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
  /// What it is; for a preset, what it models and where it differs.
  let summary: String

  private enum CodingKeys: String, CodingKey {
    case name, sort, kinds, summary
    case runsPolicies = "runs_policies"
  }

  /// Everything there is, caches first.
  static var all: [CacheEntry] {
    ContenderRegistry.all.map { contender in
      CacheEntry(
        name: contender.name, sort: .cache, kinds: names(contender.kinds),
        runsPolicies: contender.runsPolicies, summary: contender.summary)
    }
  }

  private static func names(_ kinds: Set<ConfigurationKind>) -> [String] {
    ConfigurationKind.allCases.filter(kinds.contains).map(\.rawValue)
  }

  /// A paragraph for a terminal.
  var paragraph: String {
    let kinds = kinds.joined(separator: ", ")
    let policies =
      switch sort {
      case .preset: "preset: \(kinds)"
      case .cache: runsPolicies ? "\(kinds); any policy" : "\(kinds); a policy of its own"
      }
    return "\(name)  (\(policies))\n" + PolicyText.wrapped(summary)
  }

  /// One row an entry.
  static func csv(_ entries: [CacheEntry]) -> String {
    let rows = entries.map { entry in
      [
        entry.name, entry.sort.rawValue, entry.kinds.joined(separator: " "),
        entry.runsPolicies ? "true" : "false", entry.summary,
      ].map { CSVText.field($0) }
    }
    return ([["name", "sort", "kinds", "runs_policies", "summary"]] + rows)
      .map { CSVText.line($0) }.joined()
  }

  /// A list of objects with the same fields as the CSV; kinds are a list.
  static func json(_ entries: [CacheEntry]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(entries), as: UTF8.self)
  }
}
