import LarderTraces

/// The JSON schema of workload files, `Workloads/workload.schema.json`, made from the tables of
/// keys.
package struct WorkloadSchema {
  private let tables: [KeyTable]

  /// The schema of a file whose keys are in the first table; the others are its definitions.
  package init(tables: [KeyTable] = WorkloadKeys.all) { self.tables = tables }

  /// The schema as JSON, with a newline at its end.
  package var text: String {
    guard let file = tables.first else { return "{}\n" }
    let head: JSONNode = [
      "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Larder workload",
    ]
    let definitions = tables.dropFirst().map { ($0.name, map($0)) } + valueDefinitions
    let schema = head.fields + map(file).fields + [("$defs", .object(definitions))]
    return JSONNode.object(schema).text() + "\n"
  }

  /// The definitions of values that several keys share, and of parameters, each once.
  private var valueDefinitions: [(String, JSONNode)] {
    var definitions: [(String, JSONNode)] = []
    for case (let name, let schema)? in tables.flatMap(\.keys).map(\.shape.definition)
    where !definitions.contains(where: { $0.0 == name }) {
      definitions.append((name, schema))
    }
    let scalar: JSONNode = ["type": ["string", "number", "boolean"]]
    let list: JSONNode = ["type": "array", "minItems": 1, "items": scalar]
    return definitions + [("parameter", ["anyOf": [scalar, list]])]
  }

  private func map(_ table: KeyTable) -> JSONNode {
    var properties = table.keys.map { ($0.name, Self.property($0)) }
    var fields: [(String, JSONNode)] = [
      ("description", .string(table.summary)), ("type", "object"),
    ]
    let required = table.keys.filter(\.isRequired).map(\.name)
    if !required.isEmpty { fields.append(("required", .strings(required))) }
    if !table.exclusive.isEmpty {
      fields.append(("not", ["required": .strings(table.exclusive)]))
    }
    fields += table.rules.fields
    if let components = table.components {
      properties += Self.parameters(of: components)
      fields.append(("allOf", Self.rules(of: components, beside: table.names)))
    }
    fields += [("additionalProperties", false), ("properties", .object(properties))]
    return .object(fields)
  }

  /// A key: what it means, and the schema of its values.
  private static func property(_ key: KeyTable.Key) -> JSONNode {
    let meaning = plain(key.meaning)
    let text = meaning.prefix(1).uppercased() + meaning.dropFirst()
    let value = key.isRequired ? "" : " Default: \(plain(key.defaultText))."
    return .object([("description", .string("\(text).\(value)"))] + key.shape.schema.fields)
  }

  /// The parameters that any of the components has.
  private static func parameters(of components: KeyTable.Components) -> [(String, JSONNode)] {
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

  /// Which components there are, and which parameters each of them has.
  private static func rules(
    of components: KeyTable.Components, beside names: [String]
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

  /// Markdown without its marks.
  private static func plain(_ text: String) -> String {
    text.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }.replacing("`", with: "")
  }
}
