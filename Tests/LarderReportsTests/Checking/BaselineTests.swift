import Foundation
import LarderEngine
import LarderSupport
import Testing

@testable import LarderExperiments
@testable import LarderReports

/// Round trips of baselines, and one-line errors for damaged ones.
struct BaselineTests {
  static let sample = Baseline(
    workload: "sample",
    traces: [
      TraceFacts(name: "feed", seed: 1, requests: 5000, objects: 900, footprintBytes: 3 << 20),
      TraceFacts(name: "feed", requests: .max, objects: 900, footprintBytes: nil),
    ],
    cells: SampleCheck.after)

  private func decode(_ text: String) throws -> Baseline {
    try Baseline.decode(Data(text.utf8), file: "b.json", workload: "sample")
  }

  @Test func roundTrip() throws {
    #expect(try decode(Self.sample.text) == Self.sample)
    var plain = Self.sample
    plain.traces[0].samplingRate = 0.1
    plain.cells[0].counts[.hits] = .max
    plain.cells[0].counts[.requests] = .max
    #expect(try decode(plain.text) == plain)
    let empty = Baseline(workload: "sample", traces: [], cells: [])
    #expect(try decode(empty.text) == empty)
    #expect(try decode(plain.text).text == plain.text)
  }

  @Test func oneLineACell() throws {
    let lines = Self.sample.text.split(separator: "\n")
    #expect(lines.count { $0.contains("\"hits\"") } == Self.sample.cells.count)
    var other = Self.sample
    other.cells[2].counts[.hits] = 5
    let changed = zip(lines, other.text.split(separator: "\n")).count { $0 != $1 }
    #expect(changed == 1)
  }

  /// Files and bytes are whole numbers; measurements have four significant digits.
  @Test func figuresHaveFourDigits() throws {
    var baseline = Self.sample
    baseline.resources = MeasuredResources(
      system: "Linux x86_64",
      cells: [
        MeasuredResources.Entry(
          name: SampleCheck.after[0].name,
          values: [
            .memoryBytesPerObject: 252.24, .diskBytes: 1_718_352, .bytesWritten: 0, .files: 4,
          ])
      ])
    let line = "\"memory_bytes_per_object\": 252.2, \"disk_bytes\": 1718352, \"bytes_written\": 0, "
    #expect(baseline.text.contains(line + "\"files\": 4}"), "\(baseline.text)")
    let read = try decode(baseline.text)
    #expect(read.resources?.cells.first?.values[.files] == 4)
    #expect(read.text == baseline.text)
  }

  @Test func unknownKeyIsAOneLineError() throws {
    let text = Self.sample.text.replacing("\"hits\":", with: "\"a\\u000cb\\nc\\u001b[31m\":")
    let error = #expect(throws: BaselineError.self) { try decode(text) }
    let line = try #require(error).description
    #expect(line.contains("a\u{FFFD}b c\u{FFFD}[31m: no count has this name"), "\(line)")
    let breaks = line.filter(\.isNewline)
    #expect(breaks.isEmpty)
  }

  @Test func theOrderOfCellsDoesNotMatter() {
    let reversed = Baseline(
      workload: "sample", traces: Self.sample.traces, cells: Self.sample.cells.reversed())
    #expect(reversed.text == Self.sample.text)
  }

  @Test func hostileNamesRoundTrip() throws {
    for name in HostileText.examples + HostileText.random(count: 100, seed: 4) {
      var baseline = Self.sample
      baseline.traces[0].name = name
      baseline.cells[0].name.policy = name
      baseline = Baseline(workload: "sample", traces: baseline.traces, cells: baseline.cells)
      #expect(try decode(baseline.text) == baseline, "\(name.debugDescription)")
      // No name breaks a line, whatever an editor considers a line end.
      #expect(baseline.text.split(whereSeparator: \.isNewline).count == 5 + 2 + 2 + 6 + 2)
    }
  }

  @Test func truncatedFileIsAOneLineError() throws {
    let bytes = Array(Self.sample.text.utf8)
    for end in stride(from: 0, to: bytes.count - 2, by: 7) {
      #expect {
        try Baseline.decode(Data(bytes[..<end]), file: "b.json", workload: "sample")
      } throws: { error in
        guard case BaselineError.damaged = error else { return false }
        return "\(error)".hasPrefix("b.json: ") && !"\(error)".contains("\n")
      }
    }
  }

  @Test func damageIsReportedWithItsPosition() throws {
    let text = Self.sample.text
    let cases: [(String, String)] = [
      (text.replacing("\"hits\": 8220000", with: "\"hits\": -1"), "cells["),
      (text.replacing("\"hits\": 8220000", with: "\"hits\": \"x\""), "cells["),
      (text.replacing("\"hits\": 8220000", with: "\"hits\": 20000001"), "memory/lru/1%"),
      (text.replacing("\"hits\": 8220000", with: "\"hist\": 8220000"), "hist"),
      (text.replacing("\"policy\": \"lru\"", with: "\"policy\": \"fifo\""), "twice"),
      (text.replacing("\"unit\": \"objects\"", with: "\"unit\": \"pages\""), "unit"),
      (text.replacing("\"version\": 1,\n", with: ""), "version is missing"),
      (text.replacing("\"workload\": \"sample\",\n", with: ""), "workload is missing"),
      ("", "it is empty"), ("\u{0}\u{1}\u{2}", "b.json"), ("[1, 2]", "b.json"),
    ]
    for (damaged, says) in cases {
      #expect(damaged != text)
      #expect {
        try decode(damaged)
      } throws: { error in
        guard case BaselineError.damaged = error else { return false }
        return "\(error)".contains(says)
      }
    }
  }

  @Test func foreignFileIsAnError() throws {
    let text = Self.sample.text
    #expect(throws: BaselineError.foreign(file: "b.json")) { try decode("{\"name\": \"x\"}") }
    #expect(throws: BaselineError.foreign(file: "b.json")) {
      try decode(text.replacing("larder-baseline", with: "other"))
    }
    #expect(throws: BaselineError.damaged(file: "b.json", reason: "has version 9 instead of 1")) {
      try decode(text.replacing("\"version\": 1", with: "\"version\": 9"))
    }
    #expect(
      throws: BaselineError.otherWorkload(file: "b.json", found: "other", expected: "sample")
    ) {
      try decode(text.replacing("\"workload\": \"sample\"", with: "\"workload\": \"other\""))
    }
  }

  /// Earlier versions stored ratios to calibration kernels, which are not used any more.
  @Test func timingsOfEarlierVersionsAreIgnored() throws {
    let timings = """
      ],
      "machine": "Example 9000",
      "timings": [
      {"configuration": "memory", "policy": "lru", "capacity": "1%", "seed": 1, "mode": "execute", \
      "memory": [1.234, 1.200, 1.250], "fsync": [0.01234, 0.01200, 0.01300]}
      ]
      }

      """
    let text = Self.sample.text
    #expect(text.hasSuffix("]\n}\n"))
    let old = String(text.dropLast("]\n}\n".count)) + timings
    #expect(try decode(old) == Self.sample)
    #expect(try decode(old).text == text)
  }

  @Test func ratiosHaveFourDigits() {
    #expect(NumberText.significant(1.23456) == "1.235")
    #expect(NumberText.significant(123.456) == "123.5")
    #expect(NumberText.significant(12345.6) == "12346")
    #expect(NumberText.significant(0.00123456) == "0.001235")
    #expect(NumberText.significant(0) == "0")
    #expect(NumberText.significant(.infinity) == "0")
  }
}
