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

  @Test func newKeyIsInDecoderSchemaAndPage() throws {
    let key = Key<WorkloadReading>(
      "rounds", .whole(1...9), \.workload.repetitions, "how many `rounds` are made",
      default: "`1`", example: "3")
    var section = WorkloadKeys.workload
    section.keys.append(key)

    var decoder = WorkloadDecoder(checks: Stand.checks)
    func decode(_ line: String) throws -> Workload {
      try decoder.decode(Data((Case.start + line).utf8), file: "w.yaml")
    }
    #expect(throws: WorkloadError.self) { try decode("rounds: 3") }
    decoder.keys = section
    #expect(try decode("rounds: 3").repetitions == 3)
    #expect {
      try decode("rounds: 10")
    } throws: { error in
      "\(error)" == "w.yaml:4: rounds: expected a whole number from 1 to 9, found '10'"
    }
    #expect {
      try decode("round: 3")
    } throws: { error in "\(error)" == "w.yaml:4: unknown key 'round'; did you mean 'rounds'?" }

    let tables = [section] + WorkloadKeys.all.dropFirst()
    let schema = try JSONValue(json: WorkloadSchema(tables: tables).text)
    let validator = SchemaValidator(root: schema)
    func workload(_ rounds: Double) -> JSONValue {
      .object(["source": .object(["trace": .string("a")]), "rounds": .number(rounds)])
    }
    #expect(try validator.accepts(workload(3)))
    #expect(try !validator.accepts(workload(10)))
    #expect(
      schema["properties"]?["rounds"]?["description"]
        == .string("How many rounds are made. Default: 1."))

    let block = "<!-- begin workload: made from the table of keys -->\n<!-- end workload -->\n"
    let (page, _) = WorkloadReference(tables: tables).updated(block)
    #expect(page.contains("| `rounds` | how many `rounds` are made | `1` | `rounds: 3` |\n"))
    #expect(page.hasSuffix("|\n<!-- end workload -->\n"))
    #expect(WorkloadReference(tables: tables).updated("").missing == tables.map(\.name))
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
