import LarderEngine
import Testing

@testable import LarderExperiments
@testable import LarderReports

/// Every form of a check or a comparison, for fixed results.
struct CheckGoldenTests {
  @Test func log() throws {
    let text = CheckDocument(SampleCheck.full).plain()
    try GoldenFile.check(text, against: "check.txt")
    let passed = CheckDocument(SampleCheck.passed).plain()
    try GoldenFile.check(passed, against: "check-passed.txt")
  }

  @Test func summaryOfAJob() throws {
    try GoldenFile.check(CheckDocument(SampleCheck.full).markdown, against: "check.md")
  }

  @Test func junit() throws {
    try GoldenFile.check(CheckJUnit.text(of: SampleCheck.full), against: "check-junit.xml")
  }

  @Test func annotations() throws {
    let text = CheckAnnotations.text(of: SampleCheck.full)
    try GoldenFile.check(text, against: "check-annotations.txt")
    #expect(CheckAnnotations.text(of: SampleCheck.passed) == "")
  }

  @Test func baseline() throws {
    try GoldenFile.check(BaselineTests.sample.text, against: "baseline.json")
  }

  @Test(arguments: RunComparisonFormat.allCases)
  func comparison(_ format: RunComparisonFormat) throws {
    var after = SampleResults.full
    after.records[0].counts.memoryHits -= 1
    after.records[4].counts.memoryHits += 1
    after.records[7].counts.memory.evictions += 1
    after.records[8].cell.capacityLabel = "2%"
    after.records[9].timings[1].seconds = 0.00004
    after.interrupted = true
    after.machine.cores = 4
    for record in after.records.indices {
      for index in after.records[record].executions?.indices ?? 0..<0 {
        guard after.records[record].executions?[index].threads == 1 else { continue }
        after.records[record].executions?[index].diskBytes = 3 << 20
        after.records[record].executions?[index].memoryBytesPerObject = nil
      }
    }
    let comparison = RunComparison(
      SampleResults.full, named: "before", with: after, named: "after")
    let text = try format.text(of: comparison)
    if format == .html {
      // A page of the same blocks, with style and script that have tests of their own.
      #expect(HTMLReportTests.shape(text) != nil && text.contains("cells compared"))
      return
    }
    try GoldenFile.check(text, against: "compare.\(format == .text ? "txt" : format.rawValue)")
    let same = RunComparison(after, named: "a", with: after, named: "b")
    #expect(same.counts.isEmpty)
  }

  /// Every finding counted by `--fail-on-worse` has a row that shows it, as has a changed capacity.
  @Test func everyWorseFigureHasARow() {
    var after = SampleResults.full
    let record = after.records.firstIndex { $0.executions?.first?.diskBytes != nil } ?? 0
    for index in after.records[record].executions?.indices ?? 0..<0 {
      after.records[record].executions?[index].diskBytes = 9 << 20
    }
    after.records[0].cell.capacity = 77
    let comparison = RunComparison(
      SampleResults.full, named: "before", with: after, named: "after")
    #expect(comparison.resources.worse.count == 1)
    let all = RunComparisonRow.all(in: comparison)
    #expect(all.filter { $0.kind == "different" }.map(\.after) == ["77"])
    let rows = all.filter { $0.kind == "worse" }
    #expect(rows.map(\.count) == ["disk_bytes"])
    #expect(rows.map(\.before) == ["2097152"] && rows.map(\.after) == ["9437184"])
  }

  @Test func verdicts() {
    var result = SampleCheck.passed
    #expect(result.verdict == .pass)
    result.counts = CountsComparison(
      from: [SampleCheck.after[0]], to: [SampleCheck.after[0], SampleCheck.after[1]])
    #expect(result.verdict == .pass, "new cells")
    result.counts = CountsComparison(from: SampleCheck.before, to: SampleCheck.before)
    result.timings = [SampleCheck.timing(SampleCheck.after[0], .inconclusive, nil)]
    #expect(result.verdict == .inconclusive)
    result.timings.append(SampleCheck.timing(SampleCheck.after[1], .fail, nil))
    #expect(result.verdict == .fail)
    result.timings = []
    result.resources = ResourceComparison(compared: 1)
    #expect(result.verdict == .pass && CheckDocument(result).whatIsMissing == nil)
    result.resources?.missing = SampleCheck.resources.missing
    #expect(result.verdict == .inconclusive, "a figure that was not measured")
    result.resources = nil
    result.counts = CountsComparison(from: SampleCheck.before, to: [])
    #expect(result.verdict == .fail, "missing cells")
    for change in [SampleCheck.full.traceChanges, []] {
      result = SampleCheck.passed
      result.traceChanges = change
      #expect((result.verdict == .fail) == !change.isEmpty)
    }
  }

  @Test func onlyTenAnnotationsAreShown() {
    let before = (0..<40).map { SampleCheck.cell("p\($0)", hits: 10) }
    let after = (0..<40).map { SampleCheck.cell("p\($0)", hits: 9) }
    var result = SampleCheck.passed
    result.counts = CountsComparison(from: before, to: after)
    let lines = CheckAnnotations.text(of: result).split(separator: "\n")
    #expect(lines.count == 10)
    #expect(lines.last?.contains("and 31 more") == true)
    let log = CheckDocument(result).plain()
    #expect(log.split(separator: "\n").count { $0.contains("--only") } == 3)
  }

  @Test func longTablesAreCut() {
    let before = (0..<400).map { SampleCheck.cell("p\($0)", hits: 10) }
    let after = (0..<400).map { SampleCheck.cell("p\($0)", hits: 9) }
    var result = SampleCheck.passed
    result.counts = CountsComparison(from: before, to: after)
    let log = CheckDocument(result).plain()
    #expect(log.contains("And 300 more lines."))
    #expect(log.split(separator: "\n").count < 130)
  }
}
