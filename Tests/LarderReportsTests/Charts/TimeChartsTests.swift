import LarderEngine
import LarderExperiments
import Testing

@testable import LarderReports

/// The chart of cells with time.
struct TimeChartsTests {
  private func record(
    _ name: String, _ policy: String, label: String = "10", hits: UInt64, delayed: UInt64,
    seed: UInt64 = 1
  ) -> Record {
    var record = SampleResults.record(
      SampleResults.cell(policy, capacity: 10, label: label, configuration: name, seed: seed),
      hits: hits, of: 1000)
    var time = TimeCounts()
    time.delayedHits = delayed
    time.originFetches = 1000 - hits - delayed
    time.maxInFlight = delayed + 1
    record.counts.time = time
    return record
  }

  private func charts(_ records: [Record]) -> [RowChart] {
    var results = SampleResults.empty()
    results.records = records
    return (TimeTable(results)?.blocks(PolicyStyles(["lru", "fifo"])) ?? []).figures
      .compactMap { $0.chart as? RowChart }
  }

  @Test func partsAddUpToAllRequests() throws {
    let charts = charts([
      record("coalesced", "lru", hits: 400, delayed: 100),
      record("alone", "lru", hits: 410, delayed: 0),
      record("coalesced", "lru", hits: 400, delayed: 600, seed: 2),
    ])
    try #require(charts.count == 1)
    let rows = charts[0].groups.flatMap(\.rows)
    #expect(charts[0].parts.count == 3)
    #expect(rows.map(\.name) == ["coalesced: lru", "alone: lru"])
    #expect(rows.map(\.value) == ["40.00 % + 10.00 %", "41.00 % + 0.00 %"])
    for row in rows {
      let sum = row.marks.reduce(0) { $0 + $1.value }
      #expect(row.isBar && row.marks.count == 3 && abs(sum - 1) < 1e-12)
    }
    #expect(charts[0].caption.hasPrefix("0.00 to 10.00 % of the requests"))
  }

  @Test func singleCellHasNoChart() {
    #expect(charts([record("memory", "lru", hits: 1, delayed: 1)]).isEmpty)
    #expect(charts([SampleResults.record(SampleResults.cell("lru", capacity: 1), hits: 1)]).isEmpty)
  }

  @Test func manyCapacitiesAreThinnedOut() {
    let records = (0..<30).flatMap { number in
      ["lru", "fifo"].map {
        record("memory", $0, label: "\(number)%", hits: 1, delayed: 1)
      }
    }
    let charts = charts(records)
    for chart in charts {
      #expect(chart.groups.count == 12 && Set(chart.groups.map(\.title)).count == 12)
      #expect(chart.caption.hasSuffix("the table has all."))
    }
    #expect(charts.count == 1)
  }
}
