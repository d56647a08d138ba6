import Foundation
import LarderEngine
import LarderSupport
import LarderTraces
import TestSupport
import Testing

@testable import LarderExperiments

/// Location of the table: next to the folder with the traces.
private enum PrefixTable {
  static let folder = ProcessInfo.processInfo.environment["LARDER_TRACES"]
  static var path: String { "\(folder ?? "")/../reference/prefix.csv" }
  static var isThere: Bool { folder != nil && FileManager.default.fileExists(atPath: path) }
}

/// Prefixes against `prefix.csv`, on a public trace, to the block.
@Suite(
  .enabled(
    if: PrefixTable.isThere, "needs LARDER_TRACES, and reference/prefix.csv beside it"))
struct PrefixReferenceTests {
  @Test func everyRowIsEqual() throws {
    let rows = try String(contentsOfFile: PrefixTable.path, encoding: .utf8)
      .split(whereSeparator: \.isNewline).dropFirst().map { $0.split(separator: ",") }
    #expect(rows.count == 98)
    var traces: [Substring: PreparedTrace] = [:]
    for row in TestEffort.cases(rows, atLeast: 24) {
      let loaded =
        try traces[row[1]]
        ?? PreparedTrace.load(
          path: "\(PrefixTable.folder ?? "")/\(row[1])", format: ComponentSpec(parsing: "hash-ids"))
      let trace = try loaded.withNextUses()
      traces[row[1]] = trace
      let order = try #require(PromptOrder(rawValue: String(row[4])))
      let capacity = try #require(UInt64(row[3]))
      let record = try #require(
        try PromptList.record(trace, policy: String(row[2]), capacity: capacity, order: order))
      let prefix = try #require(record.prefix)
      let found = [
        prefix.prompts, record.counts.requests, record.objectsDistinct, record.counts.hits,
        prefix.hits, prefix.tokens, prefix.inputTokens,
      ]
      #expect(found == row[5...11].compactMap { UInt64($0) }, "\(row.joined(separator: ","))")
    }
  }
}
