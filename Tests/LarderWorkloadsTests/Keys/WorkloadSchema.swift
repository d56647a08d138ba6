import LarderEngine
import LarderSupport

@testable import LarderExperiments

/// The JSON schema of workload files, `Workloads/workload.schema.json`, generated from the tables
/// of keys.
struct WorkloadSchema {
  private let tables: [any KeyTable]

  init(tables: [any KeyTable] = WorkloadKeys.all) { self.tables = tables }

  var text: String {
    guard let file = tables.first else { return "{}\n" }
    let head: JSONNode = [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Larder workload",
    ]
    let definitions = tables.dropFirst().map { ($0.name, map($0)) } + valueDefinitions
    let schema = head.fields + map(file).fields + [("$defs", .object(definitions))]
    return JSONNode.object(schema).text() + "\n"
  }

  private var valueDefinitions: [(String, JSONNode)] {
    var definitions: [(String, JSONNode)] = []
    for case (let name, let schema)? in tables.flatMap(\.rows).map(\.shape.definition)
    where !definitions.contains(where: { $0.0 == name }) {
      definitions.append((name, schema))
    }
    let scalar: JSONNode = ["type": ["string", "number", "boolean"]]
    let list: JSONNode = ["type": "array", "minItems": 1, "items": scalar]
    return definitions + [("parameter", ["anyOf": [scalar, list]])]
  }

  private func map(_ table: any KeyTable) -> JSONNode {
    var properties = table.rows.map { ($0.name, Self.property($0)) }
    var fields: [(String, JSONNode)] = [
      ("description", .string(table.summary)), ("type", "object"),
    ]
    let required = table.rows.filter(\.isRequired).map(\.name)
    if !required.isEmpty { fields.append(("required", .strings(required))) }
    if !table.exclusive.isEmpty { fields.append(("not", ["required": .strings(table.exclusive)])) }
    fields += table.rules.fields
    if let components = table.components {
      properties += Self.parameters(of: components)
      fields.append(("allOf", Self.rules(of: components, beside: table.names)))
    }
    fields += [("additionalProperties", false), ("properties", .object(properties))]
    return .object(fields)
  }

  private static func property(_ key: KeyRow) -> JSONNode {
    let meaning = plain(key.meaning)
    let text = meaning.prefix(1).uppercased() + meaning.dropFirst()
    let value = key.defaultText.map { " Default: \(plain($0))." } ?? ""
    return .object([("description", .string("\(text).\(value)"))] + key.shape.schema.fields)
  }

  private static func parameters(of components: KeyComponents) -> [(String, JSONNode)] {
    var names: [String] = []
    for name in components.all.flatMap(\.parameters).map(\.name) where !names.contains(name) {
      names.append(name)
    }
    return names.map { name in
      var meanings: [String] = []
      for meaning in components.all.flatMap(\.parameters).filter({ $0.name == name })
        .map({ plain($0.summary) }) where !meanings.contains(meaning)
      {
        meanings.append(meaning)
      }
      let text = JSONNode.string(meanings.joined(separator: " Or: "))
      return (name, .object([("description", text)] + JSONNode.reference("parameter").fields))
    }
  }

  private static func rules(
    of components: KeyComponents, beside names: [String]
  ) -> JSONNode {
    func holds(_ schema: JSONNode) -> JSONNode {
      ["properties": .object([(components.key, schema)])]
    }
    let known = components.all.map(\.name)
    return .array(
      [holds(["enum": .strings(known)])]
        + components.all.map { component -> JSONNode in
          let keys = names + component.parameters.map(\.name)
          return [
            "if": holds(["const": .string(component.name)]),
            "then": ["propertyNames": ["enum": .strings(keys)]],
          ]
        })
  }

  private static func plain(_ text: String) -> String {
    text.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }.replacing("`", with: "")
  }
}

extension JSONNode {
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

/// Tables of keys in docs/workloads.md, generated from the tables of the decoder.
struct WorkloadReference {
  private let tables: [any KeyTable]

  init(tables: [any KeyTable] = WorkloadKeys.all) { self.tables = tables }

  func updated(_ page: String) -> (page: String, missing: [String]) {
    var missing = tables.map(\.name)
    var lines: [Substring] = []
    var isInTable = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("<!-- end ") { isInTable = false }
      if !isInTable { lines.append(line) }
      guard line.hasPrefix(Self.begin), line.hasSuffix(Self.origin) else { continue }
      let names = line.dropFirst(Self.begin.count).dropLast(Self.origin.count)
        .split(separator: " ").map(String.init)
      missing.removeAll { names.contains($0) }
      lines += Self.rows(of: tables.filter { names.contains($0.name) })
      isInTable = true
    }
    return (lines.joined(separator: "\n"), missing)
  }

  private static let begin = "<!-- begin "
  private static let origin = ": made from the table of keys -->"

  private static func rows(of tables: [any KeyTable]) -> [Substring] {
    var keys: [KeyRow] = []
    for key in tables.flatMap(\.rows) where !keys.contains(where: { $0.name == key.name }) {
      keys.append(key)
    }
    return ["| key | meaning | default | example |", "|---|---|---|---|"]
      + keys.map { key in
        "| `\(key.name)` | \(key.meaning) | \(key.defaultText ?? "required") | "
          + "`\(key.name): \(key.example)` |"
      }
  }
}
