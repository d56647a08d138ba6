/// What is worth trying.
extension PolicyRegistry {
  /// The configurations that a policy declares to be tried, without the defaults: its own list, or
  /// all combinations of the values that its parameters declare as `searched`.
  ///
  /// - Throws: `unknownPolicy`, and `noConfigurations` where it declares nothing.
  public static func configurations(of name: String) throws(PolicyError) -> [PolicySpec] {
    let description = try policy(named: PolicySpec(parsing: name)).description
    var texts = description.configurations
    if texts.isEmpty { texts = combinations(description.parameters) }
    var specs: [PolicySpec] = []
    for text in texts { specs.append(try PolicySpec(parsing: "\(description.name):\(text)")) }
    if specs.isEmpty { throw .noConfigurations(policy: description.name) }
    return specs
  }

  /// All combinations of values worth trying but that of the defaults. What equals a default is not
  /// written.
  private static func combinations(_ parameters: [PolicyParameter]) -> [String] {
    var texts = [""]
    for parameter in parameters where !parameter.searched.isEmpty {
      texts = texts.flatMap { text in
        parameter.searched.map { value in
          let isDefault = value == parameter.defaultValue
          return isDefault ? text : (text.isEmpty ? "" : text + ":") + "\(parameter.name)=\(value)"
        }
      }
    }
    return texts.filter { !$0.isEmpty }
  }
}

extension PolicySpec {
  /// The policies that one text names: one, or with `name:*` all configurations that the policy
  /// declares. They are not checked.
  ///
  /// - Throws: as `init(parsing:)` and `PolicyRegistry.configurations(of:)`.
  public static func list(parsing text: String) throws(PolicyError) -> [PolicySpec] {
    guard text.hasSuffix(":*") else { return [try PolicySpec(parsing: text)] }
    let policy = try PolicySpec(parsing: text.dropLast(2))
    guard policy.values.isEmpty else { throw .malformedParameter(policy: policy.name, text: "*") }
    return try PolicyRegistry.configurations(of: policy.name)
  }
}
