import Foundation
import LarderEngine

/// Policies as options name them.
enum PolicyList {
  /// The policies of one or several options, separated by commas; `all` alone for every one there
  /// is.
  ///
  /// - Throws: `PolicyError` for a name or parameter that does not exist.
  static func parse(_ options: [String]) throws -> [PolicySpec] {
    let text = options.joined(separator: ",")
    if text == "all" {
      return try PolicyRegistry.all.map { try PolicySpec(parsing: $0.description.name) }
    }
    return try text.split(separator: ",", omittingEmptySubsequences: false).map { text in
      let spec = try PolicySpec(parsing: text.trimmingCharacters(in: .whitespaces))
      try PolicyRegistry.validate(spec)
      return spec
    }
  }
}
