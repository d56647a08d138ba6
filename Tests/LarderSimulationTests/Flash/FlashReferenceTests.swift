import Foundation
import LarderEngine
import LarderTraces
import TestSupport
import Testing

@testable import LarderExperiments

/// Location of the table: next to the folder with the traces.
private enum FlashReference {
  static let folder = ProcessInfo.processInfo.environment["LARDER_TRACES"]
  static var path: String { "\(folder ?? "")/../reference/flash.csv" }
  static var isThere: Bool { folder != nil && FileManager.default.fileExists(atPath: path) }
}

/// Layouts against `flash.csv`, on public traces, to the byte.
@Suite(
  .enabled(
    if: FlashReference.isThere, "needs LARDER_TRACES, and reference/flash.csv beside that folder"))
struct FlashReferenceTests {
  @Test func everyRowIsEqual() throws {
    let rows = try String(contentsOfFile: FlashReference.path, encoding: .utf8)
      .split(whereSeparator: \.isNewline).dropFirst()
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(rows.count == 37)
    var traces: [Substring: PreparedTrace] = [:]
    for row in TestEffort.cases(rows, atLeast: 12) {
      let trace =
        try traces[row[1]]
        ?? PreparedTrace.load(
          path: "\(FlashReference.folder ?? "")/\(row[1])",
          format: ComponentSpec(parsing: String(row[2])))
      traces[row[1]] = trace
      let layout: FlashLayout =
        row[3] == "sets"
        ? .sets
        : .log(
          region: try #require(UInt64(row[5])), reinsertHits: try #require(UInt32(row[6])))
      let capacity = try #require(UInt64(row[4]))
      let record = try #require(try FlashStand.record(layout, capacity: capacity, trace))
      let (counts, flash) = (record.counts, try #require(record.flash))
      let found = [
        counts.requests, counts.hits, counts.bytesHit, flash.inserted, flash.insertedBytes,
        flash.reinserted, flash.reinsertedBytes, flash.writtenBytes, counts.evictions,
        counts.rejections,
      ]
      #expect(found == row[7...16].compactMap { UInt64($0) }, "\(row.joined(separator: ","))")
    }
  }
}
