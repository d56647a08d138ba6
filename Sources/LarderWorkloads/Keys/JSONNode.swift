import LarderSystem

/// JSON that is written: objects keep the order of their keys.
enum JSONNode: Sendable {
  case string(String)
  /// A number as it is written.
  case number(String)
  case boolean(Bool)
  case array([JSONNode])
  case object([(String, JSONNode)])

  /// A list of texts.
  static func strings(_ texts: [String]) -> JSONNode { .array(texts.map { .string($0) }) }

  /// A reference to a definition of the schema.
  static func reference(_ name: String) -> JSONNode { ["$ref": .string("#/$defs/\(name)")] }

  /// The entries of an object.
  var fields: [(String, JSONNode)] {
    if case .object(let fields) = self { fields } else { [] }
  }

  /// The JSON on one line.
  var line: String {
    switch self {
    case .string(let text): JSONLine.quoted(text)
    case .number(let text): text
    case .boolean(let value): "\(value)"
    case .array(let items): "[\(items.map(\.line).joined(separator: ", "))]"
    case .object(let fields):
      "{\(fields.map { "\(JSONLine.quoted($0)): \($1.line)" }.joined(separator: ", "))}"
    }
  }

  /// The JSON of a schema: a line for each property, definition and rule.
  func text(margin: String = "") -> String {
    let parts = fields.map { name, value in
      let inner = margin + "  "
      let (open, lines, close): (String, [String], String)
      switch (name, value) {
      case ("properties", .object(let fields)), ("$defs", .object(let fields)):
        lines = fields.map { "\(JSONLine.quoted($0)): \($1.text(margin: inner))" }
        (open, close) = ("{", "}")
      case ("allOf", .array(let items)): (open, lines, close) = ("[", items.map(\.line), "]")
      default: return "\(JSONLine.quoted(name)): \(value.line)"
      }
      let body = lines.map { "\n\(inner)\($0)" }.joined(separator: ",")
      return "\(JSONLine.quoted(name)): \(open)\(body)\n\(margin)\(close)"
    }
    return "{\(parts.joined(separator: ", "))}"
  }
}

extension JSONNode: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  init(stringLiteral text: String) { self = .string(text) }
  init(integerLiteral value: Int) { self = .number("\(value)") }
  init(booleanLiteral value: Bool) { self = .boolean(value) }
  init(arrayLiteral items: JSONNode...) { self = .array(items) }
  init(dictionaryLiteral fields: (String, JSONNode)...) { self = .object(fields) }
}
