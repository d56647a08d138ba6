import LarderEngine

/// Why a workload cannot have the cache or preset that it names.
package enum ContenderError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No cache has the name.
  case unknown(String, known: [String])
  /// The cache cannot have the shape.
  case kind(String, ConfigurationKind, possible: [ConfigurationKind])
  /// No preset has the name.
  case unknownPreset(String, known: [String])

  /// One line for a person.
  package var description: String {
    switch self {
    case .unknown(let name, let known):
      return "unknown cache '\(name)'\(Self.hint(name, known))"
    case .kind(let name, let kind, let possible):
      let kinds = possible.map(\.rawValue).joined(separator: " or ")
      return "'\(name)' cannot be a \(kind.rawValue) cache; it can be \(kinds)"
    case .unknownPreset(let name, let known):
      return "unknown preset '\(name)'\(Self.hint(name, known))"
    }
  }

  private static func hint(_ name: String, _ known: [String]) -> String {
    let nearest = name.nearest(among: known).map { "; did you mean '\($0)'?" } ?? ""
    return "\(nearest) ('larder caches' lists them all)"
  }
}
