import Foundation
import LarderEngine
import LarderExperiments
import LarderSupport
import Testing

@testable import LarderReports

/// Hostile names from external results, in every form of a comparison.
struct RunComparisonEscapingTests {
  private static let names =
    HostileText.examples + HostileText.random(count: 100, seed: 3) + [
      "\u{9B}31m", "\u{1B}]52;c;x\u{7}", "a\u{2028}b", "\u{61C}x", "\u{2066}x", "x\u{85}y",
    ]

  /// A comparison with one cell worse, one new and one missing, and timings of both.
  private func comparison(_ name: String) -> RunComparison {
    func results(_ hits: UInt64, other: String) -> RunResults {
      var results = SampleResults.empty()
      var record = SampleResults.record(
        SampleResults.cell(name, capacity: 10, configuration: name), hits: hits)
      record.timings = [
        Timing(mode: .simulate, threads: 1, repetition: 1, requests: 5000, seconds: 0.5)
      ]
      let alone = SampleResults.cell(other + name, capacity: 20, label: name)
      results.records = [record, SampleResults.record(alone, hits: 5)]
      return results
    }
    let before = results(1000, other: "before")
    var after = results(999, other: "after")
    after.workload = name
    after.machine.processor = name
    return RunComparison(before, named: name, with: after, named: name)
  }

  @Test(arguments: RunComparisonFormat.allCases)
  func namesCannotAddLines(_ format: RunComparisonFormat) throws {
    let plain = try format.text(of: comparison("plain"))
    let lines = plain.split(separator: "\n", omittingEmptySubsequences: false).count
    for name in Self.names {
      let text = try format.text(of: comparison(name))
      let bad = text.unicodeScalars.first {
        !TextSafety.isInline($0) && $0 != "\n" && $0 != "\t"
      }
      #expect(bad == nil, "\(name.debugDescription) in \(format)")
      let count = text.unicodeScalars.count { $0 == "\n" } + 1
      #expect(count == lines, "\(name.debugDescription) in \(format)")
    }
  }

  @Test func jsonKeepsNames() throws {
    struct Row: Decodable { let policy: String }
    for name in Self.names {
      let text = try RunComparisonFormat.json.text(of: comparison(name))
      let rows = try JSONDecoder().decode([Row].self, from: Data(text.utf8))
      #expect(!rows.isEmpty)
      // One equals the name, others end with it.
      #expect(rows.contains { Array($0.policy.utf8) == Array(name.utf8) })
      for row in rows {
        #expect(Array(row.policy.utf8.suffix(name.utf8.count)) == Array(name.utf8))
      }
    }
  }
}
