import Foundation
import Testing

/// A schema in `docs`, compared with the contents of a file.
struct SchemaFile {
  private let schema: [String: Any]

  init(named name: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let data = try Data(contentsOf: root.appending(path: "docs/\(name)"))
    schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// The only valid value of a key of the whole file.
  func constant(_ key: String) -> Int? {
    let properties = schema["properties"] as? [String: [String: Any]]
    return properties?[key]?["const"] as? Int
  }

  func keys(at path: String) -> Set<String> {
    var keys: Set<String> = []
    collect(schema, at: path, &keys)
    return keys
  }

  func check(_ value: Any, at path: String, _ seen: inout Set<String>) {
    check(value, against: schema, at: path, &seen)
  }

  private func check(
    _ value: Any, against schema: [String: Any], at path: String, _ seen: inout Set<String>
  ) {
    let schema = resolved(schema)
    if let object = value as? [String: Any] {
      let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
      for (key, value) in object {
        guard let property = properties[key] else {
          Issue.record("\(path).\(key) is not in the schema")
          continue
        }
        seen.insert("\(path).\(key)")
        check(value, against: property, at: "\(path).\(key)", &seen)
      }
      for key in schema["required"] as? [String] ?? [] {
        #expect(object[key] != nil, "\(path).\(key) is required and absent")
      }
    } else if let array = value as? [Any] {
      let items = schema["items"] as? [String: Any] ?? [:]
      for value in array { check(value, against: items, at: path, &seen) }
    } else {
      #expect(schema["properties"] == nil && schema["items"] == nil, "\(path) is a plain value")
      if let known = schema["enum"] as? [String] { #expect(known.contains("\(value)"), "\(path)") }
    }
  }

  private func collect(_ schema: [String: Any], at path: String, _ keys: inout Set<String>) {
    let schema = resolved(schema)
    for (key, property) in schema["properties"] as? [String: [String: Any]] ?? [:] {
      keys.insert("\(path).\(key)")
      collect(property, at: "\(path).\(key)", &keys)
    }
    if let items = schema["items"] as? [String: Any] { collect(items, at: path, &keys) }
  }

  private func resolved(_ schema: [String: Any]) -> [String: Any] {
    guard let reference = schema["$ref"] as? String, let name = reference.split(separator: "/").last
    else { return schema }
    let definitions = self.schema["$defs"] as? [String: [String: Any]]
    return definitions?[String(name)] ?? [:]
  }
}
