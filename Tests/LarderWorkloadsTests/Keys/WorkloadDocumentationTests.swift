import Foundation
import Testing

@testable import LarderExperiments

/// The schema and the reference of workload files agree with the tables of keys.
@Suite struct WorkloadDocumentationTests {
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// With `LARDER_WRITE_DOCS`, which `make workload-docs` sets, the file is written instead of
  /// compared.
  private func compare(_ path: String, _ expected: (String) -> String) throws {
    let file = Self.repository.appendingPathComponent(path)
    let text = try String(contentsOf: file, encoding: .utf8)
    if ProcessInfo.processInfo.environment["LARDER_WRITE_DOCS"] != nil {
      try expected(text).write(to: file, atomically: true, encoding: .utf8)
    } else {
      let isCurrent = text == expected(text)
      #expect(isCurrent, "\(path) differs from the tables of keys; run 'make workload-docs'")
    }
  }

  @Test func schemaMatchesTheTables() throws {
    try compare("Workloads/workload.schema.json") { _ in WorkloadSchema().text }
  }

  @Test func pageHasEveryTable() throws {
    try compare("docs/workloads.md") { page in
      let (page, missing) = WorkloadReference().updated(page)
      #expect(missing == [], "docs/workloads.md has no place for these tables")
      return page
    }
  }

  @Test func wordsAreExplainedAndExamplesAreValid() throws {
    let schema = try JSONValue(json: WorkloadSchema().text)
    for table in WorkloadKeys.all {
      let properties =
        table.name == "workload"
        ? schema["properties"] : schema["$defs"]?[table.name]?["properties"]
      for key in table.rows {
        let example = try JSONValue(yaml: "\(key.name): \(key.example)")
        let property = try #require(properties?[key.name], "\(table.name).\(key.name)")
        let validator = SchemaValidator(root: schema)
        let value = try #require(example[key.name])
        #expect(try validator.accepts(value, property), "\(table.name).\(key.name): \(key.example)")
        for word in key.choices {
          let isNamed = "\(key.meaning) \(key.defaultText ?? "")".contains("`\(word)`")
          #expect(isNamed, "\(table.name).\(key.name) does not explain '\(word)'")
        }
      }
    }
  }

  /// Editors know the parameters of each generator, and reject those of another.
  @Test func schemaHasParametersOfComponents() throws {
    let validator = SchemaValidator(root: try JSONValue(json: WorkloadSchema().text))
    func accepts(_ source: String) throws -> Bool {
      try validator.accepts(JSONValue(yaml: "source: \(source)"))
    }
    #expect(try accepts("{generator: zipf, requests: 1M, exponent: 0.9}"))
    #expect(try !accepts("{generator: uniform, requests: 1M, exponent: 0.9}"))
    #expect(try !accepts("{generator: zipff, requests: 1M}"))
    #expect(try accepts("{generator: zipf, requests: 5, ttl: {distribution: list, values: [1h]}}"))
    #expect(try !accepts("{generator: zipf, requests: 5, ttl: {distribution: list, median: 1h}}"))
  }
}
