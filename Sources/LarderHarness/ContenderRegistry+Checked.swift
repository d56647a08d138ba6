import LarderWorkloads

extension ContenderRegistry {
  /// The contender of a name, if it can have the shape.
  ///
  /// - Throws: `ContenderError` when there is none, or it cannot.
  package static func checked(
    _ name: String, kind: ConfigurationKind
  ) throws(ContenderError) -> CacheContender {
    guard let contender = named(name) else {
      throw .unknown(name, known: all.map(\.name))
    }
    guard contender.kinds.contains(kind) else {
      throw .kind(
        name, kind, possible: ConfigurationKind.allCases.filter(contender.kinds.contains))
    }
    return contender
  }
}
