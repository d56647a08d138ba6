/// JSON for writing; objects keep the order of their keys.
enum JSONNode: Sendable {
  case string(String)
  case number(String)
  case boolean(Bool)
  case array([JSONNode])
  case object([(String, JSONNode)])

  static func strings(_ texts: [String]) -> JSONNode { .array(texts.map { .string($0) }) }

  static func reference(_ name: String) -> JSONNode { ["$ref": .string("#/$defs/\(name)")] }

  var fields: [(String, JSONNode)] {
    if case .object(let fields) = self { fields } else { [] }
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
