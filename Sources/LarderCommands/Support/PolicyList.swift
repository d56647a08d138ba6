import Foundation
import LarderEngine

/// Policies as options name them.
enum PolicyList {
  /// The policies of one or several options, separated by commas; `name:*` for all configurations
  /// that a policy declares, and `all` alone for every policy there is.
  ///
  /// - Throws: `PolicyError` for a name or parameter that does not exist.
  static func parse(_ options: [String]) throws -> [PolicySpec] {
    let text = options.joined(separator: ",")
    if text == "all" {
      return try PolicyRegistry.all.map { try PolicySpec(parsing: $0.description.name) }
    }
    return try text.split(separator: ",", omittingEmptySubsequences: false).flatMap { text in
      let specs = try PolicySpec.list(parsing: text.trimmingCharacters(in: .whitespaces))
      for spec in specs { try PolicyRegistry.validate(spec) }
      return specs
    }
  }
}
