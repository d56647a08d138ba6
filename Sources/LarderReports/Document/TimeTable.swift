import LarderEngine
import LarderExperiments

/// Waiting times in simulations with time: a row for each cell.
struct TimeTable {
  /// The cells with time.
  let records: [Record]

  /// The table of a run; nil if no cell has time.
  init?(_ records: [Record]) {
    self.records = records.filter { $0.counts.time != nil }
    if self.records.isEmpty { return nil }
  }

  /// The table and its explanation.
  var blocks: [Block] {
    [
      .table(table),
      .paragraph([
        .text("\(meaning) Waits are over all requests.")
      ]),
    ]
  }

  /// The definition of a wait. Hits on disk may be reads that take time.
  private var meaning: String {
    guard records.contains(where: { $0.cell.kind != .memory }) else {
      return "Fetches take time. A delayed hit is a request for an object in flight, which waits "
        + "for that fetch; hits do not wait."
    }
    return "Fetches take time, and so may reads from disk. A delayed hit is a request for an "
      + "object in flight, which waits for that fetch or read; memory hits do not wait, disk "
      + "hits wait for their read."
  }

  /// Shares of hits, delayed hits and misses, waits, and the load of the origin.
  var table: Table {
    let hasSeeds = Set(records.map(\.cell.seed)).count > 1
    let hasTraces = Set(records.map(\.cell.trace)).count > 1
    var table = Table(
      titles: (hasTraces ? ["trace"] : []) + ["cache", "capacity"] + (hasSeeds ? ["seed"] : []) + [
        "hits, %", "delayed, %", "misses, %", "mean wait", "p50", "p99", "fetches",
        "most in flight",
      ])
    for record in records {
      guard let time = record.counts.time else { continue }
      let cell = record.cell
      let counts = record.counts
      let requests = Double(counts.requests)
      func share(_ count: UInt64) -> Inline {
        ExecutedTables.number(requests > 0 ? Double(count) / requests * 100 : nil, 2)
      }
      func wait(_ value: Double?) -> Inline {
        time.clock == .requests
          ? ExecutedTables.number(value, 1) : ExecutedTables.time(value.map { $0 * 1000 })
      }
      let mean = requests > 0 ? Double(time.totalLatency) / requests : nil
      table.rows.append(
        (hasTraces ? [Inline.text(cell.trace)] : [])
          + [.text(cell.cacheName), .text(cell.capacityLabel)]
          + (hasSeeds ? [.text("\(cell.seed)")] : []) + [
            share(counts.hits), share(time.delayedHits),
            share(counts.misses - time.delayedHits), wait(mean), wait(Double(time.p50Latency)),
            wait(Double(time.p99Latency)), .text("\(time.originFetches)"),
            .text("\(time.maxInFlight)"),
          ])
    }
    return table
  }
}

extension TimeTable {
  /// Hits, delayed hits and misses as stacked bars; nil for fewer than two cells. Only the first of
  /// several seeds is drawn; the table has all.
  func chart(_ styles: PolicyStyles) -> ChartFigure? {
    let timed = records.filter { $0.cell.seed == records[0].cell.seed }
    guard timed.count > 1 else { return nil }
    let hasTraces = Set(timed.map(\.cell.trace)).count > 1
    var groups: [RowChart.Group] = []
    var delayed: [Double] = []
    for record in timed {
      let cell = record.cell
      let title = hasTraces ? "\(cell.trace), \(cell.capacityLabel)" : cell.capacityLabel
      let waits = record.share { $0.time?.delayedHits ?? 0 } ?? 0
      let parts = [
        ("hits", record.share(\.hits) ?? 0), ("delayed hits", waits),
        ("misses", record.share { $0.misses - ($0.time?.delayedHits ?? 0) } ?? 0),
      ]
      delayed.append(waits)
      let texts = parts.map { ChartUnit.percent.value($0.1) }
      let row = RowChart.Row(
        name: cell.cacheName, series: cell.policy, style: styles[cell.policy],
        content: .bar(zip(parts, texts).map { .init($0.1, label: "\($1) \($0.0)") }),
        value: "\(texts[0]) + \(texts[1])")
      if let place = groups.firstIndex(where: { $0.title == title }) {
        groups[place].rows.append(row)
      } else {
        groups.append(RowChart.Group(title: title, rows: [row]))
      }
    }
    return ChartFigure(
      ["time", "requests"],
      RowChart(
        title: "Hits, delayed hits and misses",
        caption: "\(ComparisonCharts.range(delayed)) of the requests were delayed hits: their "
          + "object was in flight.",
        axis: ChartAxis(title: "share of requests", unit: .percent), groups: groups,
        parts: ["hits", "delayed hits", "misses"]
      ).thinned)
  }
}
