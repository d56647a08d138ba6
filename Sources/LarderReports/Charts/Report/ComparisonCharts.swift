import LarderEngine
import LarderSimulation
import LarderWorkloads

/// The charts of one configuration, from the records that its tables are made from.
struct ComparisonCharts {
  let comparison: Comparison
  /// What the charts are named for.
  let name: String
  let styles: PolicyStyles

  /// The most rows of a chart: where there are more, capacities are left out.
  private static let rowsMax = 40

  /// True where there is something to compare: two policies, or two capacities.
  var isWorthDrawing: Bool { comparison.policies.count > 1 || comparison.columns.count > 1 }

  /// A metric over the capacities; nil where there is nothing to draw.
  func figure(_ word: String, _ metric: Metric) -> ChartFigure? {
    guard isWorthDrawing, comparison.has(metric.value) else { return nil }
    var caption = RankingWords(ranking: Ranking(comparison, by: metric)).caption
    if comparison.kind == .hybrid, metric.showsOffline, comparison.columns.count > 1 {
      caption += " Capacities are of the disk tier."
    }
    let title = "\(metric.title.prefix(1).uppercased())\(metric.title.dropFirst()): \(name)"
    let chart: any Chart =
      isCurve
      ? lines(metric, title, caption)
      : rows(metric, title, caption, columns: shownColumns)
    return ChartFigure([name, word], chart)
  }

  /// True where capacities have an order that can be drawn.
  private var isCurve: Bool {
    let places = comparison.columns.indices.map { x($0) }
    return places.count > 1 && places.allSatisfy { $0 > 0 }
      && zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
      && comparison.columns.allSatisfy {
        !comparison.countsBytes || $0.largest < CapacitySpec.largestBytes
      }
  }

  private func x(_ column: Int) -> Double {
    let column = comparison.columns[column]
    return (Double(column.smallest) + Double(column.largest)) / 2
  }

  private func policies(_ metric: Metric) -> [PolicyName] {
    comparison.competitors + (metric.showsOffline ? comparison.offline : [])
  }

  private func lines(_ metric: Metric, _ title: String, _ caption: String) -> LineChart {
    let ticks = comparison.columns.enumerated().map { number, column in
      let amount = column.description(bytes: comparison.countsBytes)
      return ChartAxis.Tick(
        x(number), label: column.title, detail: column.title.hasSuffix("%") ? amount : nil)
    }
    let tier = comparison.kind == .hybrid ? "capacity of the disk tier" : "capacity"
    return LineChart(
      title: title, caption: caption,
      x: ChartAxis(
        title: comparison.countsBytes ? tier : "\(tier), objects",
        unit: comparison.countsBytes ? .bytes : .objects, isLogarithmic: true, ticks: ticks),
      y: ChartAxis(title: metric.title, unit: metric.unit),
      series: policies(metric).map { policy in
        ChartSeries(
          name: policy.text, style: styles[policy.text],
          points: comparison.columns.indices.compactMap { point(policy, $0, metric) },
          isBound: policy.isOffline)
      })
  }

  private func point(
    _ policy: PolicyName, _ column: Int, _ metric: Metric
  ) -> ChartSeries.Point? {
    guard let spread = comparison.spread(policy, column, of: metric.value) else { return nil }
    return ChartSeries.Point(
      x: x(column), y: spread.mean, range: Self.range(spread),
      label: "\(metric.unit.value(spread)) at \(comparison.columns[column].title)")
  }

  /// From the smallest to the largest; nil where they are equal.
  static func range(_ spread: Spread) -> ClosedRange<Double>? {
    spread.varies ? spread.smallest...spread.largest : nil
  }

  private func rows(
    _ metric: Metric, _ title: String, _ caption: String, columns: [Int]
  ) -> RowChart {
    let groups = columns.map { column -> RowChart.Group in
      let sign = metric.better == .higher ? -1.0 : 1.0
      let rows = policies(metric).compactMap { policy in
        comparison.spread(policy, column, of: metric.value).map { (policy, $0) }
      }.sorted(byKey: { sign * $0.1.mean }).map { policy, spread in
        RowChart.Row(
          name: policy.text, series: policy.text, style: styles[policy.text],
          content: .bar([.init(spread.mean, label: metric.unit.value(spread))]),
          value: metric.unit.value(spread.mean))
      }
      return RowChart.Group(title: comparison.columns[column].title, rows: rows)
    }
    return RowChart(
      title: title, caption: caption,
      axis: ChartAxis(title: metric.title, unit: metric.unit), groups: groups)
  }

  /// Where the hits of each policy were found, a bar each; nil where there is one tier only.
  var tiers: ChartFigure? {
    guard comparison.kind == .hybrid, isWorthDrawing, comparison.has({ $0.counts.hitRatio }) else {
      return nil
    }
    var shares: (memory: [Double], disk: [Double]) = ([], [])
    let groups = shownColumns.map { column in
      RowChart.Group(
        title: comparison.columns[column].title,
        rows: comparison.policies.compactMap { policy in
          guard
            let memory = comparison.spread(policy, column, of: { $0.share(\.memoryHits) })?.mean,
            let disk = comparison.spread(policy, column, of: { $0.share(\.diskHits) })?.mean
          else { return nil }
          if !policy.isOffline {
            shares.memory.append(memory)
            shares.disk.append(disk)
          }
          return RowChart.Row(
            name: policy.text, series: policy.text, style: styles[policy.text],
            content: .bar([
              .init(memory, label: "\(ChartUnit.percent.value(memory)) in memory"),
              .init(disk, label: "\(ChartUnit.percent.value(disk)) on disk"),
            ]), value: ChartUnit.percent.value(memory + disk))
        })
    }
    let isShort = shownColumns.count < comparison.columns.count
    let caption =
      "\(Self.range(shares.memory)) of the requests are memory hits, and "
      + "\(Self.range(shares.disk)) are disk hits."
      + (isShort ? " The chart shows some of the capacities; the table has all." : "")
    return ChartFigure(
      [name, "tiers"],
      RowChart(
        title: "Hits by tier: \(name)", caption: caption,
        axis: ChartAxis(title: "share of requests", unit: .percent), groups: groups,
        parts: ["in memory", "on disk"]))
  }

  static func range(_ values: [Double]) -> String {
    guard let least = values.min(), let most = values.max() else { return "none" }
    let (low, high) = (ChartUnit.percent.value(least), ChartUnit.percent.value(most))
    return low == high ? low : "\(low.dropLast(2)) to \(high)"
  }

  /// All capacities, or where these would be too many rows the first, the middle and the last, or
  /// the middle alone.
  var shownColumns: [Int] {
    let all = Array(comparison.columns.indices)
    let policies = comparison.policies.count
    if all.count * policies <= Self.rowsMax || all.count == 1 { return all }
    if 3 * policies <= Self.rowsMax, all.count > 3 { return [0, all.count / 2, all.count - 1] }
    return [all.count / 2]
  }
}

extension ChartUnit {
  /// A mean, with the smallest and the largest where there are several values.
  func value(_ spread: Spread) -> String {
    guard spread.varies else { return value(spread.mean) }
    return "\(value(spread.mean)) (\(value(spread.smallest)) to \(value(spread.largest)))"
  }
}

extension Record {
  /// A part of the requests; nil without requests.
  func share(_ part: (Counts) -> UInt64) -> Double? {
    counts.requests == 0 ? nil : Double(part(counts)) / Double(counts.requests)
  }
}
