import LarderExperiments
import Testing

@testable import LarderReports

/// Results merged from several machines: no number combines two of them.
struct MergedTimingsTests {
  /// The sample, with every other record timed on another machine.
  private static func merged() -> RunResults {
    var results = SampleResults.full
    for index in results.records.indices {
      for timing in results.records[index].timings.indices {
        results.records[index].timings[timing].machine = index % 2 == 0 ? "one" : "two"
      }
    }
    return results
  }

  @Test func rowsNameTheirMachine() throws {
    let results = Self.merged()
    let rows = try #require(CSVReader.records(TimingsCSV().text(of: results)))
    let column = try #require(rows[0].firstIndex(of: "machine"))
    let mode = try #require(rows[0].firstIndex(of: "mode"))
    let machines = rows.dropFirst().filter { $0[mode] == "simulate" }.map { $0[column] }
    let expected = results.records.flatMap { $0.timings.compactMap(\.machine) }
    #expect(machines == expected && Set(machines) == ["one", "two"])
  }

  @Test func reportHasASectionForEachMachine() throws {
    let text = try MarkdownReport().text(of: Self.merged())
    #expect(text.contains("Measured on one, over all"))
    #expect(text.contains("Measured on two, over all"))
    let one = try MarkdownReport().text(of: SampleResults.full)
    #expect(one.matches(of: #/Measured on .*, over all/#).count == 1)
  }

  @Test func jsonKeepsMachines() throws {
    let results = Self.merged()
    let text = try ResultsJSON().text(of: results)
    #expect(try RunResults.decode(text.utf8, name: "x") == results)
  }

  @Test func comparisonsTakeOneMachine() throws {
    var results = SampleResults.full
    let index = try #require(results.records.firstIndex { !$0.timings.isEmpty })
    var other = results.records[index].timings[0]
    let speeds = RunComparison(results, named: "a", with: results, named: "b").speeds
    other.machine = "other"
    other.seconds *= 1000
    results.records[index].timings.append(other)
    let after = RunComparison(results, named: "a", with: results, named: "b").speeds
    #expect(after.map(\.before.median) == speeds.map(\.before.median))
  }
}
