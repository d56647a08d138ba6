import LarderSimulation
import LarderSystem

/// The charts of executed runs, from the rows that their tables are made from.
struct ExecutedCharts {
  /// The rows: a cache, capacity and number of threads each.
  let rows: [ExecutedRow]
  /// What the charts are named for.
  let place: String
  let styles: PolicyStyles

  /// Where there are more rows, only the table has them.
  private static let rowsMax = 60

  private var isDrawn: Bool { rows.count > 1 && rows.count <= Self.rowsMax }

  private static var percentiles: [(name: String, path: KeyPath<MeasuredLatency, UInt64>)] {
    [("p50", \.p50), ("p90", \.p90), ("p99", \.p99), ("p99.9", \.p999)]
  }

  /// Requests a second, with the range over the repetitions.
  var throughput: ChartFigure? {
    guard isDrawn else { return nil }
    let groups = byThreads { row -> (Double, RowChart.Row)? in
      guard let speed = row.requestsPerSecond else { return nil }
      let text = "\(Self.thousands(speed.median)) thousand requests/s"
      let range =
        speed.varies
        ? ", \(Self.thousands(speed.smallest)) to \(Self.thousands(speed.largest))" : ""
      let mark = RowChart.Mark(
        speed.median / 1e3,
        range: speed.varies ? (speed.smallest / 1e3)...(speed.largest / 1e3) : nil,
        label: text + range)
      return (speed.median, self.row(row, [mark], Self.thousands(speed.median)))
    }
    guard
      let caption = leaders(groups, of: "the most requests per second", unit: " thousand")
    else { return nil }
    let hasRanges = rows.contains { $0.requestsPerSecond?.varies ?? false }
    return ChartFigure(
      [place, "throughput"],
      RowChart(
        title: "Throughput: \(place)",
        caption: caption
          + (hasRanges
            ? " Marks are medians; lines show the range from the slowest run to the fastest."
            : ""),
        axis: ChartAxis(title: "thousand requests per second", unit: .number), groups: groups))
  }

  /// Percentiles of all gets, a mark each.
  var gets: ChartFigure? {
    guard isDrawn else { return nil }
    let groups = byThreads { row -> (Double, RowChart.Row)? in
      let marks = Self.percentiles.compactMap { name, path in
        Self.mark(name, row.spread { $0.getLatency.map { Double($0[keyPath: path]) } })
      }
      guard marks.count == Self.percentiles.count else { return nil }
      return (-marks[2].value, self.row(row, marks, ChartUnit.nanoseconds.value(marks[2].value)))
    }
    guard let caption = leaders(groups, of: "the lowest 99th percentile", unit: "") else {
      return nil
    }
    return ChartFigure(
      [place, "latency"],
      RowChart(
        title: "Latency of gets: \(place)",
        caption: caption
          + " Marks are p50, p90, p99 and p99.9, from left to right; the number is p99.",
        axis: ChartAxis(title: "latency", unit: .nanoseconds, isLogarithmic: true),
        groups: groups))
  }

  /// Median and 99th percentile of each kind of operation.
  var kinds: ChartFigure? {
    let groups = OperationLatency.Kind.allCases.compactMap { kind -> RowChart.Group? in
      let drawn = rows.compactMap { row -> RowChart.Row? in
        let marks = [("p50", \MeasuredLatency.p50), ("p99", \.p99)].compactMap { name, path in
          Self.mark(name, row.spread { $0[kind].map { Double($0.latency[keyPath: path]) } })
        }
        guard marks.count == 2 else { return nil }
        return self.row(
          row, marks, ChartUnit.nanoseconds.value(marks[0].value), withThreads: true)
      }
      return drawn.isEmpty ? nil : RowChart.Group(title: ExecutedTables.name(kind), rows: drawn)
    }
    guard groups.count > 1, groups.reduce(0, { $0 + $1.rows.count }) <= Self.rowsMax else {
      return nil
    }
    return ChartFigure(
      [place, "latency-by-kind"],
      RowChart(
        title: "Latency by outcome: \(place)",
        caption: "The latency of a get depends on its outcome. Marks are the median and p99; the "
          + "number is the median.",
        axis: ChartAxis(title: "latency", unit: .nanoseconds, isLogarithmic: true),
        groups: groups))
  }

  private static func mark(_ name: String, _ spread: Spread?) -> RowChart.Mark? {
    spread.map {
      RowChart.Mark($0.median, label: "\(name) \(ChartUnit.nanoseconds.value($0.median))")
    }
  }

  private static func thousands(_ value: Double) -> String {
    NumberText.fixed(value / 1e3, decimals: 1) ?? "–"
  }

  private func row(
    _ row: ExecutedRow, _ marks: [RowChart.Mark], _ value: String, withThreads: Bool = false
  ) -> RowChart.Row {
    var name = row.name
    if Set(rows.map(\.cell.capacityLabel)).count > 1 { name += ", \(row.cell.capacityLabel)" }
    if withThreads, Set(rows.map(\.threads)).count > 1 { name += ", \(Self.threads(row.threads))" }
    return RowChart.Row(
      name: name, series: row.cell.policy, style: styles[row.cell.policy],
      content: .marks(marks), value: value)
  }

  private static func threads(_ count: Int) -> String {
    NumberText.counted(count, "thread")
  }

  /// A group a number of threads, each with the best first.
  private func byThreads(_ make: (ExecutedRow) -> (Double, RowChart.Row)?) -> [RowChart.Group] {
    Set(rows.map(\.threads)).sorted().compactMap { threads in
      let drawn = rows.filter { $0.threads == threads }.compactMap(make).sorted(byKey: { -$0.0 })
      return drawn.isEmpty
        ? nil : RowChart.Group(title: Self.threads(threads), rows: drawn.map(\.1))
    }
  }

  private func leaders(_ groups: [RowChart.Group], of what: String, unit: String) -> String? {
    let parts = groups.compactMap { group in
      group.rows.first.map { "\($0.name) has \(what) with \(group.title) (\($0.value)\(unit))" }
    }
    return parts.isEmpty ? nil : parts.joined(separator: "; ") + "."
  }
}
