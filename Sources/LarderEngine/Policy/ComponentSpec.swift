/// Name and parameters of a policy, filter, generator, distribution, format or layout, as text.
///
/// `zipf:objects=1000:exponent=0.9` on the command line, a map in a workload file.
public struct ComponentSpec: Sendable, Hashable, Codable, CustomStringConvertible {
  /// Name in lower case.
  public var name: String
  /// Given parameters by name, as text.
  public var values: [String: String]

  /// Creates a spec from its parts.
  public init(name: String, values: [String: String] = [:]) {
    self.name = name
    self.values = values
  }

  /// Parses `name:parameter=value:...`. A value in single quotes may contain colons, and so may
  /// that of `ops`, a list of pairs (`ops=1:get:0:set`), up to the next part with an `=`.
  public init(parsing text: some StringProtocol) throws(ComponentError) {
    let parts = ComponentSpec.parts(of: text)
    name = parts.first.map { $0.lowercased() } ?? ""
    values = [:]
    var previous = ""
    for part in parts.dropFirst() {
      if previous == "ops", !part.contains("="), !part.isEmpty {
        values[previous, default: ""] += ":\(part)"
        continue
      }
      guard let equals = part.firstIndex(of: "="), equals != part.startIndex else {
        throw ComponentError(
          component: name, parameter: nil, message: "expected name=value, found '\(part)'")
      }
      let parameter = part[..<equals].lowercased()
      guard values[parameter] == nil else {
        throw ComponentError(
          component: name, parameter: parameter, message: "is given twice; keep one")
      }
      previous = parameter
      values[parameter] = ComponentSpec.unquoted(part[part.index(after: equals)...])
    }
  }

  /// Text form, with parameters in alphabetical order.
  public var description: String {
    values.sorted { $0.key < $1.key }.reduce(into: name) { text, value in
      let isPlain = !value.value.contains { $0 == ":" || $0 == "'" }
      text += ":\(value.key)=" + (isPlain ? value.value : "'\(value.value)'")
    }
  }

  private static func parts(of text: some StringProtocol) -> [String] {
    var parts = [""]
    var isQuoted = false
    var previous: Character?
    for (index, character) in zip(text.indices, text) {
      let next = text.index(after: index)
      let endsValue = next == text.endIndex || text[next] == ":"
      if character == "'", isQuoted ? endsValue : previous == "=" { isQuoted.toggle() }
      previous = character
      if character == ":", !isQuoted {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }

  private static func unquoted(_ value: some StringProtocol) -> String {
    guard value.count >= 2, value.first == "'", value.last == "'" else { return String(value) }
    return String(value.dropFirst().dropLast())
  }
}

/// An invalid component name or parameter. Callers add the file and line if they know them.
public struct ComponentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Component, such as `zipf`; empty for the options of a command.
  public var component: String
  /// Invalid parameter; nil if the component itself is unknown.
  public var parameter: String?
  /// Error with the expected value, and the nearest known name if one is close.
  public var message: String

  /// Creates an error from its parts, with blanks in place of line breaks, as in values quoted.
  public init(component: String, parameter: String?, message: String) {
    func line(_ text: String) -> String { String(text.map { $0.isNewline ? " " : $0 }) }
    self.component = line(component)
    self.parameter = parameter.map(line)
    self.message = line(message)
  }

  /// One-line message.
  public var description: String {
    guard let parameter else { return "\(component): \(message)" }
    return (component.isEmpty ? "--" : "\(component): ") + "\(parameter): \(message)"
  }
}

/// One parameter of a component: `name=value` after a colon, or a key in a workload file.
public struct Parameter: Sendable, Hashable {
  /// Name, such as `objects`.
  public let name: String
  /// Type and range of the value.
  public let kind: ParameterKind
  /// Default value, as typed; empty if there is none, or the component decides.
  public let defaultValue: String
  /// True if a value must be given.
  public let isRequired: Bool
  /// The default value in a real cache, where memory must be bounded; nil if it is the same.
  public let realDefault: String?
  /// The value in a simulation of a sample of the objects; nil if it is the same.
  public let sampleValue: String?
  /// The values worth trying in a search for the best one, as typed by a user; empty for the
  /// default only. Few and far apart, because all combinations of a policy's parameters are tried.
  public let searched: [String]
  /// True for a number of requests or objects that does not depend on the capacity. In a simulation
  /// of a sample of the objects, it is scaled down like the capacity.
  public let isCount: Bool
  /// Meaning, unit and range.
  public let summary: String
  /// Source of the default, if it is more than a round number.
  public let origin: String

  /// Creates a parameter with its default, as typed; nil requires a value.
  public init(
    _ name: String, _ kind: ParameterKind = .text, default defaultValue: String?,
    inRealCaches realDefault: String? = nil, inSamples sampleValue: String? = nil,
    searched: [String] = [], isCount: Bool = false, _ summary: String, origin: String = ""
  ) {
    self.name = name
    self.kind = kind
    self.defaultValue = defaultValue ?? ""
    isRequired = defaultValue == nil
    (self.realDefault, self.sampleValue) = (realDefault, sampleValue)
    self.searched = searched
    self.isCount = isCount
    self.summary = summary
    self.origin = origin
  }
}

/// Type and range of a parameter's value, which determine how its text is parsed.
public enum ParameterKind: Sendable, Hashable {
  /// Any text.
  case text
  /// A whole number in the range: `1000000`, `1e6`, `10k`, `2M`, `1G`.
  case count(ClosedRange<Int>)
  /// A number in the range.
  case number(ClosedRange<Double>)
  /// Bytes in the range: `500`, `500B`, `8KiB`, `1MB`.
  case bytes(ClosedRange<Int>)
  /// Seconds in the range: `90`, `90s`, `5m`, `2h`, `30d`, `1w`.
  case duration(ClosedRange<Double>)
  /// A share from 0 to 1: `0.1`, `10%` or `1/10`.
  case share
  /// One of these words.
  case choice([String])
  /// `true` or `false`.
  case flag
  indirect case list(ParameterKind)

  /// Expected syntax, for lists of parameters and for errors.
  public var expectation: String {
    switch self {
    case .text: "a text"
    case .count(let range):
      "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .number(let range) where range.upperBound == .greatestFiniteMagnitude:
      "a number, \(Self.short(range.lowerBound)) or more"
    case .number(let range):
      "a number from \(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))"
    case .bytes(let range):
      "a size from \(range.lowerBound) to \(range.upperBound) bytes, such as 500, 8KiB or 1MB"
    case .duration(let range):
      "a time from \(Self.short(range.lowerBound)) to \(Self.short(range.upperBound)) seconds, "
        + "such as 90, 5m, 2h or 30d"
    case .share: "a share from 0 to 1, such as 0.1, 10% or 1/10"
    case .choice(let words): "one of \(words.joined(separator: ", "))"
    case .flag: "true or false"
    case .list(let kind): "a comma-separated list, each \(kind.expectation)"
    }
  }

  private static func short(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }

  fileprivate func number(_ text: some StringProtocol) -> Double? {
    switch self {
    case .number(let range):
      // A percentage is a share.
      text.contains { $0 == "%" || $0 == "/" }
        ? nil : Quantity.number(text).flatMap { range.contains($0) ? $0 : nil }
    case .duration(let range):
      Quantity.duration.value(text).map { $0 / 1e9 }.flatMap { range.contains($0) ? $0 : nil }
    case .share: Share(parsing: text)?.ratio
    default: nil
    }
  }

  fileprivate func whole(_ text: some StringProtocol) -> Int? {
    switch self {
    case .count(let range), .bytes(let range):
      (isBytes ? Quantity.bytes : .count).amount(text).flatMap { Int(exactly: $0) }
        .flatMap { range.contains($0) ? $0 : nil }
    case .duration: number(text).map { Int($0.rounded()) }
    default: nil
    }
  }

  private var isBytes: Bool { if case .bytes = self { true } else { false } }
}

/// Reader of the values of a component's parameters, given or default. Unknown names and invalid
/// values are errors before anything is done.
public struct ParameterReader: Sendable {
  /// The given name and values.
  public let component: ComponentSpec
  private let parameters: [Parameter]

  /// Validates the given parameters.
  public init(_ component: ComponentSpec, parameters: [Parameter]) throws(ComponentError) {
    self.component = component
    self.parameters = parameters
    let known = parameters.map(\.name)
    for name in component.values.keys.sorted() where !known.contains(name) {
      let hint = known.isEmpty ? "; it has none" : UnknownName.hint(name, among: known, "it has")
      throw ComponentError(
        component: component.name, parameter: name, message: "unknown parameter\(hint)")
    }
    for parameter in parameters {
      guard !parameter.isRequired || component.values[parameter.name] != nil else {
        throw ComponentError(
          component: component.name, parameter: parameter.name,
          message: "is required"
            + (parameter.kind == .text ? "" : ": \(parameter.kind.expectation)"))
      }
    }
  }

  /// Text as given; nil for a default.
  public func text(_ name: String) -> String? { component.values[name] }

  package func whole(_ name: String) throws(ComponentError) -> Int {
    guard let value = kind(name).whole(typed(name)) else { throw wrong(name) }
    return value
  }

  package func number(_ name: String) throws(ComponentError) -> Double {
    guard let value = kind(name).number(typed(name)) else { throw wrong(name) }
    return value
  }

  package func choice(_ name: String) throws(ComponentError) -> String {
    let word = typed(name).lowercased()
    guard case .choice(let words) = kind(name), words.contains(word) else { throw wrong(name) }
    return word
  }

  /// The word of an enum; nil if none is given and there is no default.
  public func choice<Choice: CaseIterable & RawRepresentable>(
    _ name: String, of type: Choice.Type
  ) throws(ComponentError) -> Choice? where Choice.RawValue == String {
    let text = typed(name)
    if text.isEmpty, self.text(name) == nil { return nil }
    guard let value = Choice(rawValue: text.lowercased()) else {
      throw wrong(
        name, expected: ParameterKind.choice(Choice.allCases.map(\.rawValue)).expectation)
    }
    return value
  }

  /// True or false; nil if neither is given and there is no default.
  public func flag(_ name: String) throws(ComponentError) -> Bool? {
    let text = typed(name)
    if text.isEmpty, self.text(name) == nil { return nil }
    guard let value = Bool(text.lowercased()) else {
      throw wrong(name, expected: ParameterKind.flag.expectation)
    }
    return value
  }

  /// Share from 0 to 1; nil if none is given.
  public func share(_ name: String) throws(ComponentError) -> Double? {
    guard let text = text(name) else { return nil }
    guard let share = Share(parsing: text) else {
      throw wrong(name, expected: ParameterKind.share.expectation)
    }
    return share.ratio
  }

  /// Comma-separated words in lower case; nil if none are given.
  public func words(_ name: String) -> [String]? {
    text(name)?.split(separator: ",").map { $0.trimmed.lowercased() }
  }

  package func wholeList(_ name: String) throws(ComponentError) -> [Int] {
    try list(name) { $0.whole($1) }
  }

  package func numberList(_ name: String) throws(ComponentError) -> [Double] {
    typed(name).isEmpty ? [] : try list(name) { $0.number($1) }
  }

  /// Error for an invalid value of a parameter; by default, what its kind expects.
  public func wrong(_ name: String, expected: String? = nil) -> ComponentError {
    ComponentError(
      component: component.name, parameter: name,
      message: "expected \(expected ?? kind(name).expectation), found '\(typed(name))'")
  }

  private func typed(_ name: String) -> String {
    text(name) ?? parameters.first { $0.name == name }?.defaultValue ?? ""
  }

  private func kind(_ name: String) -> ParameterKind {
    parameters.first { $0.name == name }?.kind ?? .text
  }

  private func list<Value>(
    _ name: String, read: (ParameterKind, Substring) -> Value?
  ) throws(ComponentError) -> [Value] {
    guard case .list(let itemKind) = kind(name) else { throw wrong(name) }
    var values: [Value] = []
    for item in typed(name).split(separator: ",", omittingEmptySubsequences: false) {
      guard let value = read(itemKind, item.trimmed) else { throw wrong(name) }
      values.append(value)
    }
    return values
  }
}
