import Testing

@testable import LarderReports

struct ComparisonTests {
  @Test func theOrderOfTheRecordsDoesNotMatter() throws {
    let results = SampleResults.full
    var random = SplitMix(state: 3)
    // Within a configuration; policies keep the order of the plan.
    let expected = ReportDocument(results)
    for _ in 0..<5 {
      var shuffled = results
      shuffled.records = Dictionary(grouping: results.records.shuffled(using: &random)) {
        "\($0.cell.configuration) \($0.cell.policy)"
      }.values.flatMap { $0 }
      let order = results.records.map { "\($0.cell.configuration) \($0.cell.policy)" }
      shuffled.records.sort { left, right in
        let left = order.firstIndex(of: "\(left.cell.configuration) \(left.cell.policy)") ?? 0
        let right = order.firstIndex(of: "\(right.cell.configuration) \(right.cell.policy)") ?? 0
        return left < right
      }
      let text = MarkdownMarkup().text(of: ReportDocument(shuffled).blocks)
      #expect(text == MarkdownMarkup().text(of: expected.blocks))
    }
  }

  @Test func sharesOfDifferentFootprintsAreOneColumn() throws {
    let cells = [(UInt64(1), UInt64(100)), (2, 110)].map { seed, capacity in
      SampleResults.cell("lru", capacity: capacity, label: "1%", seed: seed)
    }
    let columns = CapacityColumn.columns(of: cells)
    #expect(columns.map(\.title) == ["1%"])
    #expect(columns[0].description(.objects) == "100 to 110 objects")
  }

  @Test func sameDiskBehindDifferentMemories() throws {
    let cells = [UInt64(10), 20].map { memory in
      SampleResults.cell(
        "lru+fifo", capacity: 100, configuration: "h", kind: .hybrid, memory: memory)
    }
    #expect(CapacityColumn.columns(of: cells).map(\.title) == ["100 after 10", "100 after 20"])
  }

  @Test func columnsGrowFromLeftToRight() {
    let cells = [UInt64(2000), 10, 300].map { SampleResults.cell("lru", capacity: $0) }
    #expect(CapacityColumn.columns(of: cells).map(\.title) == ["10", "300", "2000"])
  }

  @Test func missingCellHasNoNumber() throws {
    var results = SampleResults.empty(planned: 4)
    results.interrupted = true
    results.records = [
      SampleResults.record(SampleResults.cell("lru", capacity: 10), hits: 2500),
      SampleResults.record(SampleResults.cell("lru", capacity: 20), hits: 2600),
      SampleResults.record(SampleResults.cell("fifo", capacity: 10), hits: 2000),
    ]
    let report = try MarkdownReport().text(of: results)
    #expect(report.contains("| `fifo` | 40.00 | – |"))
    #expect(report.contains("**The run was interrupted: 3 of 4 cells are done.**"))
  }

  @Test func noRecordsAtAll() throws {
    let report = try MarkdownReport().text(of: SampleResults.empty(planned: 3))
    #expect(report.contains("No cell finished."))
    #expect(report.contains("0 of 3 cells"))
    #expect(ComparisonTable.text(of: SampleResults.empty()) == "")
  }

  @Test func noRequests() throws {
    var results = SampleResults.empty(planned: 1)
    results.records = [
      SampleResults.record(SampleResults.cell("lru", capacity: 10), hits: 0, of: 0)
    ]
    let report = try MarkdownReport().text(of: results)
    #expect(report.contains("No requests were counted, so no hit ratio exists."))
    #expect(!report.contains("nan"))
    #expect(ComparisonTable.text(of: results).contains("lru      –"))
  }

  @Test(arguments: [
    ("lru", false, true), ("fifo", false, true), ("lru:x=1", false, false), ("belady", true, false),
    ("belady-size", true, false), ("lru+fifo", false, true), ("fifo+lru", false, false),
    ("lru+belady", true, false), ("belady:a=b+lru", true, false), ("belady2", false, false),
  ])
  func policyNames(_ text: String, _ isOffline: Bool, _ isBaseline: Bool) {
    #expect(PolicyName(text).isOffline == isOffline)
    #expect(PolicyName(text).isBaseline == isBaseline)
  }

  @Test func spreads() throws {
    let odd = try #require(Spread([3, 1, 2]))
    #expect([odd.smallest, odd.median, odd.mean, odd.largest] == [1, 2, 2, 3])
    let even = try #require(Spread([4, 1]))
    #expect(even.median == 2.5)
    // The sum of three times 0.1 is not 0.3: the mean of equal values is that value.
    #expect(Spread([0.1, 0.1, 0.1])?.mean == 0.1)
    #expect(Spread([]) == nil)
    #expect(Spread([1, .infinity]) == nil)
  }
}
