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
      return "Fetches take time. A delayed hit is a request for an object that was being fetched, "
        + "which waited for that fetch; hits wait for nothing."
    }
    return "Fetches take time, and so may reads from disk. A delayed hit is a request for an "
      + "object that was being fetched or read, which waited for that; hits in memory wait for "
      + "nothing, hits on disk for their read."
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

/// The charts of cells with time: outcomes of requests, and fetches from the origin.
struct TimeCharts {
  private let groups: [(title: String, records: [Record])]
  private let isShort: Bool
  private let styles: PolicyStyles

  /// The most rows of a chart; capacities are left out beyond it.
  private static let rowsMax = 40

  /// The charts of a run; nil if fewer than two cells have time. Only the first of several seeds is
  /// drawn; the table has all.
  init?(_ records: [Record], _ styles: PolicyStyles) {
    let seed = records.first?.cell.seed
    let timed = records.filter { $0.counts.time != nil && $0.cell.seed == seed }
    guard timed.count > 1 else { return nil }
    let hasTraces = Set(timed.map(\.cell.trace)).count > 1
    var groups: [(title: String, records: [Record])] = []
    for record in timed {
      let cell = record.cell
      let title = hasTraces ? "\(cell.trace), \(cell.capacityLabel)" : cell.capacityLabel
      if let place = groups.firstIndex(where: { $0.title == title }) {
        groups[place].records.append(record)
      } else {
        groups.append((title, [record]))
      }
    }
    isShort = timed.count > Self.rowsMax
    self.groups = isShort ? Self.some(of: groups) : groups
    self.styles = styles
  }

  /// As many groups as fit, evenly spaced; at least one.
  private static func some(
    of groups: [(title: String, records: [Record])]
  ) -> [(title: String, records: [Record])] {
    let largest = groups.map(\.records.count).max() ?? 1
    let count = max(1, rowsMax / max(1, largest))
    guard count < groups.count else { return groups }
    return (0..<count).map { groups[($0 * 2 + 1) * groups.count / (2 * count)] }
  }

  var blocks: [Block] {
    [
      .chart(ChartFigure(["time", "requests"], requests)),
      .chart(ChartFigure(["time", "fetches"], fetches)),
      .chart(ChartFigure(["time", "in flight"], inFlight)),
    ]
  }

  /// Hits, delayed hits and misses as stacked bars.
  private var requests: RowChart {
    var delayed: [Double] = []
    let rows = rows { record, time in
      let all = Double(max(1, record.counts.requests))
      let hits = Double(record.counts.hits) / all
      let waits = Double(time.delayedHits) / all
      let misses = Double(record.counts.misses - time.delayedHits) / all
      delayed.append(waits)
      let unit = ChartUnit.percent
      return (
        [
          .init(hits, label: "\(unit.value(hits)) hits"),
          .init(waits, label: "\(unit.value(waits)) delayed hits"),
          .init(misses, label: "\(unit.value(misses)) misses"),
        ], "\(unit.value(hits)) + \(unit.value(waits))"
      )
    }
    return RowChart(
      title: "Hits, delayed hits and misses",
      caption: "\(ComparisonCharts.range(delayed)) of the requests found that their object was "
        + "being fetched, and waited for that." + left,
      axis: ChartAxis(title: "share of requests", unit: .percent), groups: rows,
      parts: ["hits", "delayed hits", "misses"])
  }

  /// Fetches from the origin, with and without coalescing.
  private var fetches: RowChart {
    let rows = rows { _, time in
      let fetches = Double(time.originFetches)
      let text = ChartUnit.objects.value(fetches)
      return ([.init(fetches, label: "\(text) fetches")], text)
    }
    return RowChart(
      title: "Fetches from the origin",
      caption: "Where requests wait for a fetch that is under way, the origin is asked less often."
        + left,
      axis: ChartAxis(title: "fetches", unit: .objects), groups: rows)
  }

  /// The longest queue at the origin, with the fetches in service.
  private var inFlight: RowChart {
    let rows = rows { _, time in
      let most = Double(time.maxInFlight)
      let text = ChartUnit.objects.value(most)
      return ([.init(most, label: "\(text) at once")], text)
    }
    return RowChart(
      title: "Most fetches at the same time",
      caption: "Those that the origin was serving and those that waited for it, at their most."
        + left,
      axis: ChartAxis(title: "fetches in flight", unit: .objects), groups: rows)
  }

  private var left: String {
    isShort ? " The chart shows some of the capacities; the table has all." : ""
  }

  private func rows(
    _ bar: (Record, TimeCounts) -> (parts: [RowChart.Mark], value: String)
  ) -> [RowChart.Group] {
    groups.map { group in
      RowChart.Group(
        title: group.title,
        rows: group.records.compactMap { record in
          guard let time = record.counts.time else { return nil }
          let (parts, value) = bar(record, time)
          return RowChart.Row(
            name: record.cell.cacheName, series: record.cell.policy,
            style: styles[record.cell.policy], content: .bar(parts), value: value)
        })
    }
  }
}
