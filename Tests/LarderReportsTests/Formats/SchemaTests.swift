import Foundation
import LarderEngine
import LarderSimulation
import Testing

@testable import LarderReports

/// `docs/results.schema.json` describes what `results.json` holds: not less, not more.
struct SchemaTests {
  private let schema: [String: Any]

  init() throws {
    let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "docs/results.schema.json")
    let read = try JSONSerialization.jsonObject(with: try Data(contentsOf: url))
    schema = try #require(read as? [String: Any])
  }

  @Test func theFullResultsFit() throws {
    let text = try ResultsJSON().text(of: SampleResults.full)
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    var seen: Set<String> = []
    check(value, against: schema, at: "results", &seen)
    // The sample has every optional key somewhere, so that the schema names nothing that is not.
    var described: Set<String> = []
    collect(schema, at: "results", &described)
    let absent = described.subtracting(seen).subtracting(["results.traces.seed"])
    // The sample's trace has no costs.
    #expect(absent.filter { !$0.contains(".counts.cost") } == [])
  }

  @Test func theVersionIsTheCurrentOne() throws {
    let properties = try #require(schema["properties"] as? [String: [String: Any]])
    #expect(properties["schemaVersion"]?["const"] as? Int == RunResults.currentSchemaVersion)
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
