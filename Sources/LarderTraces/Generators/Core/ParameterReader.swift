import LarderEngine

/// The values of a component's parameters: those given, or else the declared defaults, read in the
/// same way. Unknown names and bad values are errors before anything is generated.
struct ParameterReader {
  private let component: ComponentSpec
  private let parameters: [GeneratorParameter]

  /// A reader over what was given.
  ///
  /// - Throws: `ComponentError` when a parameter is given that does not exist, or one that must be
  ///   given is missing.
  init(
    _ component: ComponentSpec, parameters: [GeneratorParameter]
  ) throws(ComponentError) {
    self.component = component
    self.parameters = parameters
    let known = parameters.map(\.name)
    for name in component.values.keys.sorted() where !known.contains(name) {
      let hint = name.nearest(among: known).map { "did you mean '\($0)'?" }
      let list =
        known.isEmpty ? "it has no parameters" : "it has \(known.joined(separator: ", "))"
      throw ComponentError(
        component: component.name, parameter: name,
        message: "unknown parameter; \(hint ?? list)")
    }
    for parameter in parameters {
      guard parameter.defaultValue != nil || component.values[parameter.name] != nil else {
        throw ComponentError(
          component: component.name, parameter: parameter.name,
          message: "is required: \(parameter.kind.expectation)")
      }
    }
  }

  /// Whether the parameter was given rather than left at its default.
  func isGiven(_ name: String) -> Bool { component.values[name] != nil }

  /// The text as given or as declared.
  func text(_ name: String) -> String {
    component.values[name] ?? parameters.first { $0.name == name }?.defaultValue ?? ""
  }

  /// A whole number.
  func count(_ name: String) throws(ComponentError) -> Int {
    guard case .count(let range) = kind(name), let value = ValueText.count(text(name)),
      range.contains(value)
    else { throw badValue(name) }
    return value
  }

  /// A number.
  func number(_ name: String) throws(ComponentError) -> Double {
    guard case .number(let range) = kind(name), let value = ValueText.number(text(name)),
      range.contains(value)
    else { throw badValue(name) }
    return value
  }

  /// Bytes.
  func bytes(_ name: String) throws(ComponentError) -> Int {
    guard case .bytes(let range) = kind(name), let value = ValueText.bytes(text(name)),
      range.contains(value)
    else { throw badValue(name) }
    return value
  }

  /// Seconds.
  func seconds(_ name: String) throws(ComponentError) -> Double {
    guard case .duration(let range) = kind(name), let value = ValueText.seconds(text(name)),
      range.contains(value)
    else { throw badValue(name) }
    return value
  }

  /// A share from 0 to 1.
  func share(_ name: String) throws(ComponentError) -> Double {
    guard case .share = kind(name), let value = ValueText.share(text(name)) else {
      throw badValue(name)
    }
    return value
  }

  /// One of the words.
  func choice(_ name: String) throws(ComponentError) -> String {
    let word = text(name).lowercased()
    guard case .choice(let words) = kind(name), words.contains(word) else { throw badValue(name) }
    return word
  }

  /// True or false.
  func flag(_ name: String) throws(ComponentError) -> Bool {
    guard let value = Bool(text(name).lowercased()) else { throw badValue(name) }
    return value
  }

  /// Whole values separated by commas: counts, bytes or seconds.
  func wholeList(_ name: String) throws(ComponentError) -> [Int] {
    try list(name) { (kind, item) -> Int? in
      switch kind {
      case .count(let range): ValueText.count(item).flatMap { range.contains($0) ? $0 : nil }
      case .bytes(let range): ValueText.bytes(item).flatMap { range.contains($0) ? $0 : nil }
      case .duration(let range):
        ValueText.seconds(item).flatMap { range.contains($0) ? Int($0.rounded()) : nil }
      default: nil
      }
    }
  }

  /// Numbers separated by commas; empty text is an empty list.
  func numberList(_ name: String) throws(ComponentError) -> [Double] {
    if text(name).isEmpty { return [] }
    return try list(name) { (kind, item) -> Double? in
      guard case .number(let range) = kind else { return nil }
      return ValueText.number(item).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  /// The error for a value that is not what the parameter must be.
  func badValue(_ name: String, expected: String? = nil) -> ComponentError {
    let expectation = expected ?? kind(name)?.expectation ?? "nothing"
    return ComponentError(
      component: component.name, parameter: name,
      message: "expected \(expectation), found '\(text(name))'")
  }

  private func kind(_ name: String) -> ParameterKind? {
    parameters.first { $0.name == name }?.kind
  }

  private func list<Value>(
    _ name: String, read: (ParameterKind, Substring) -> Value?
  ) throws(ComponentError) -> [Value] {
    guard case .list(let itemKind) = kind(name) else { throw badValue(name) }
    var values: [Value] = []
    for item in text(name).split(separator: ",", omittingEmptySubsequences: false) {
      let start = item.firstIndex { $0 != " " } ?? item.endIndex
      guard let value = read(itemKind, item[start...]) else {
        throw badValue(name, expected: "\(ParameterKind.list(itemKind).expectation)")
      }
      values.append(value)
    }
    return values
  }
}
