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
  @Test(.serialized, arguments: ["generators", "distributions"])
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
    if part == "distributions" {
      return zip(DistributionRegistry.sizes, DistributionRegistry.ttls).map { sizes, ttls in
        let parameters = zip(sizes.parameters, ttls.parameters).map { size, ttl in
          let isSame = size.defaultValue == ttl.defaultValue
          return item(size, value: size.defaultValue + (isSame ? "" : ", \(ttl.defaultValue)"))
        }
        return "\n**\(sizes.name)**: \(sizes.summary)\n\n" + parameters.joined()
      }.joined()
    }
    var previous: (name: String, items: String) = ("", "")
    return GeneratorRegistry.all.map { generator in
      let description = generator.description
      var items = description.parameters.map { item($0, value: $0.defaultValue) }.joined()
      if items == previous.items {
        items = "Parameters: those of `\(previous.name)`.\n"
      } else {
        previous = (description.name, items)
      }
      return """

        ### \(description.name)

        \(description.summary) Columns: \(columns(description.columns)). \(description.source)

        \(items)
        """
    }.joined()
  }

  private static func item(_ parameter: Parameter, value: String) -> String {
    let shown = parameter.isRequired ? " (required)" : value.isEmpty ? "" : " (\(value))"
    let origin = parameter.origin.isEmpty ? "" : " Default: \(parameter.origin)."
    return "- `\(parameter.name)`\(shown): \(parameter.summary)\(origin)\n"
  }

  private static func columns(_ columns: TraceColumns) -> String {
    columns.isEmpty ? "none" : columns.names.joined(separator: ", ")
  }
}
