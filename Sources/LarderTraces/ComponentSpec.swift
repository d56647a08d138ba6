internal import LarderSystem

/// A generator, a distribution or a format as users name it: a name and parameters, as text.
///
/// `zipf:objects=1000:exponent=0.9` on the command line, a map in a workload file.
public struct ComponentSpec: Sendable, Hashable, Codable, CustomStringConvertible {
  /// The name, lower case.
  public var name: String
  /// The parameters given, by name, as text.
  public var values: [String: String]

  /// A spec from its parts.
  public init(name: String, values: [String: String] = [:]) {
    self.name = name
    self.values = values
  }

  /// Takes `name:parameter=value:...` apart. A value in single quotes may hold colons, and so may
  /// that of `ops`, a list of pairs (`ops=1:get:0:set`), up to the next part with an `=`.
  ///
  /// - Throws: `ComponentError` when a part has no `=`, or a parameter is given twice.
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
          component: name, parameter: parameter, message: "is given twice")
      }
      previous = parameter
      values[parameter] = ComponentSpec.unquoted(part[part.index(after: equals)...])
    }
  }

  /// The text form, parameters in alphabetical order.
  public var description: String {
    values.sorted { $0.key < $1.key }.reduce(into: name) { text, value in
      let isPlain = !value.value.contains { $0 == ":" || $0 == "'" }
      text += ":\(value.key)=" + (isPlain ? value.value : "'\(value.value)'")
    }
  }

  /// The pieces between colons that do not stand in a value in single quotes.
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

  /// A value without the single quotes around it.
  private static func unquoted(_ value: some StringProtocol) -> String {
    guard value.count >= 2, value.first == "'", value.last == "'" else { return String(value) }
    return String(value.dropFirst().dropLast())
  }
}

/// What is wrong with a component's name or one of its parameters. Whoever knows the file and line
/// of the parameter adds them.
public struct ComponentError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The component, such as `zipf`.
  public var component: String
  /// The parameter at fault, nil when it is the component itself.
  public var parameter: String?
  /// What was found and what was expected, with the nearest known name where one is near.
  public var message: String

  /// An error; see the properties for the meaning of each part.
  public init(component: String, parameter: String?, message: String) {
    self.component = component
    self.parameter = parameter
    self.message = message
  }

  /// One line for a person.
  public var description: String {
    TextSafety.singleLine(
      parameter.map { "\(component): \($0): \(message)" } ?? "\(component): \(message)")
  }
}
