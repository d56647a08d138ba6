import Foundation
import LarderEngine
import Testing

@testable import LarderTraces

/// `docs/generators.md` agrees with the registry: the tables between its markers are generated from
/// it.
struct GeneratorDocumentationTests {
  private static let file = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("docs/generators.md")

  /// Set `LARDER_WRITE_DOCS=1` to regenerate the tables after a change to a generator.
  @Test(.serialized, arguments: ["generators", "sizes", "ttls"])
  func tablesMatchTheRegistry(part: String) throws {
    let begin = "<!-- begin \(part): made from the registry -->\n"
    let end = "<!-- end \(part) -->"
    var text = try String(contentsOf: Self.file, encoding: .utf8)
    let from = try #require(text.range(of: begin))
    let to = try #require(text.range(of: end))
    let expected = Self.table(part)
    if ProcessInfo.processInfo.environment["LARDER_WRITE_DOCS"] != nil {
      text.replaceSubrange(from.upperBound..<to.lowerBound, with: expected)
      try text.write(to: Self.file, atomically: true, encoding: .utf8)
    } else {
      let isCurrent = text[from.upperBound..<to.lowerBound] == expected
      #expect(isCurrent, "docs/generators.md is out of date: make workload-docs")
    }
  }

  private static func table(_ part: String) -> String {
    switch part {
    case "generators":
      GeneratorRegistry.all.map { generator in
        let description = generator.description
        return """

          ### \(description.name)

          \(description.summary)

          Columns besides the key: \(columns(description.columns)). Source: \(description.source)

          \(table(description.parameters))
          """
      }.joined()
    case "sizes": DistributionRegistry.sizes.map(table).joined()
    default: DistributionRegistry.ttls.map(table).joined()
    }
  }

  private static func table(_ distribution: DistributionDescription) -> String {
    "\n**\(distribution.name)**: \(distribution.summary)\n\n\(table(distribution.parameters))"
  }

  private static func table(_ parameters: [Parameter]) -> String {
    let rows = parameters.map { parameter in
      let value = parameter.defaultValue
      let shown = parameter.isRequired ? "required" : value.isEmpty ? "" : "`\(value)`"
      return
        "| `\(parameter.name)` | \(shown) | \(parameter.summary) | \(parameter.kind.expectation) "
        + "| \(parameter.origin) |\n"
    }
    return "| parameter | default | meaning | values | source of the default |\n"
      + "|---|---|---|---|---|\n" + rows.joined()
  }

  private static func columns(_ columns: TraceColumns) -> String {
    let names: [(TraceColumns, String)] = [
      (.size, "size"), (.time, "time"), (.operation, "operation"), (.ttl, "ttl"), (.cost, "cost"),
      (.prompt, "prompt"),
    ]
    let present = names.filter { columns.contains($0.0) }.map(\.1)
    return present.isEmpty ? "none" : present.joined(separator: ", ")
  }
}
