import Foundation
import LarderEngine
import Testing

@testable import LarderTraces

/// The lines of "What is read from which log" in docs/logs.md are parsed as documented.
@Suite
struct DocumentedLinesTests {
  private struct Example {
    var title = ""
    var lines: [String] = []
    var request = ""
  }

  private static func examples() throws -> [Example] {
    let text = try String(contentsOfFile: Repository.path + "/docs/logs.md", encoding: .utf8)
    let section = try #require(
      text.components(separatedBy: "## What is read from which log\n").last)
    let end = section.range(of: "\n## ")?.lowerBound ?? section.endIndex
    var examples: [Example] = []
    for line in section[..<end].split(separator: "\n").map({ String($0) }) {
      if line.hasPrefix("**") {
        examples.append(Example(title: line))
      } else if let last = examples.indices.last {
        if line.hasPrefix("    ") { examples[last].lines.append(String(line.dropFirst(4))) }
        if line.hasPrefix("Key ") { examples[last].request = line }
      }
    }
    return examples
  }

  private static func text(_ record: TraceRecord, key: String) -> String {
    var text = "Key `\(key)`"
    if record.time / 1_000_000 != 1_772_359_200 { text += ", time \(record.time / 1_000_000)" }
    if record.size != 900 { text += ", size \(record.size)" }
    let operation = Operation(rawValue: record.operation) ?? .bypass
    if operation != .get { text += ", \(operation)" }
    if record.ttl > 0 { text += ", TTL \(record.ttl) s" }
    if record.cost >= 0, record.cost != 1 { text += ", cost \(Int(record.cost.rounded())) ms" }
    return text + "."
  }

  @Test func documentedLinesAreReadAsDocumented() throws {
    let examples = try Self.examples()
    #expect(examples.count >= 20)
    for example in examples {
      let folder = try TestFolder()
      let path = try folder.write(example.lines.joined(separator: "\n") + "\n", to: "log")
      let source = try FileSource(path: path)
      let record = try #require(try allRecords(source).last, "\(example.title)")
      let key = example.request.split(separator: "`").dropFirst().first.map { String($0) } ?? ""
      #expect(record.key == KeyHash.hash(key), "\(example.title)")
      #expect(Self.text(record, key: key) == example.request, "\(example.title)")
      #expect(example.title.hasSuffix("(`\(source.format.name)`)"), "\(example.title)")
    }
  }
}
