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

  /// A quantity that is drawn.
  struct Quantity {
    /// What stands above the chart, and beside the axis.
    let title: String
    /// What captions call it.
    let name: String
    let unit: ChartUnit
    let better: Design.Better
    /// Whether the policies that know the future are drawn.
    var showsOffline = true
    let value: (Record) -> Double?
  }

  /// True where there is something to compare: two policies, or two capacities.
  var isWorthDrawing: Bool { comparison.policies.count > 1 || comparison.columns.count > 1 }

  /// A quantity over the capacities; nil where there is nothing to draw.
  func figure(_ word: String, _ quantity: Quantity, caption: String) -> ChartFigure? {
    guard isWorthDrawing, comparison.has(quantity.value) else { return nil }
    let title = "\(quantity.title.prefix(1).uppercased())\(quantity.title.dropFirst()): \(name)"
    let chart: any Chart =
      isCurve
      ? lines(quantity, title, caption)
      : rows(quantity, title, caption, columns: shownColumns)
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

  private func policies(_ quantity: Quantity) -> [PolicyName] {
    comparison.competitors + (quantity.showsOffline ? comparison.offline : [])
  }

  private func lines(_ quantity: Quantity, _ title: String, _ caption: String) -> LineChart {
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
      y: ChartAxis(title: quantity.title, unit: quantity.unit),
      series: policies(quantity).map { policy in
        ChartSeries(
          name: policy.text, style: styles[policy.text],
          points: comparison.columns.indices.compactMap { point(policy, $0, quantity) },
          isBound: policy.isOffline)
      })
  }

  private func point(
    _ policy: PolicyName, _ column: Int, _ quantity: Quantity
  ) -> ChartSeries.Point? {
    guard let spread = comparison.spread(policy, column, of: quantity.value) else { return nil }
    return ChartSeries.Point(
      x: x(column), y: spread.mean, range: Self.range(spread),
      label: "\(quantity.unit.value(spread)) at \(comparison.columns[column].title)")
  }

  /// From the smallest to the largest; nil where they are equal.
  static func range(_ spread: Spread) -> ClosedRange<Double>? {
    spread.varies ? spread.smallest...spread.largest : nil
  }

  private func rows(
    _ quantity: Quantity, _ title: String, _ caption: String, columns: [Int]
  ) -> RowChart {
    let groups = columns.map { column -> RowChart.Group in
      let rows = policies(quantity).compactMap { policy -> (Double, RowChart.Row)? in
        guard let spread = comparison.spread(policy, column, of: quantity.value) else {
          return nil
        }
        let text = quantity.unit.value(spread)
        let row = RowChart.Row(
          name: policy.text, series: policy.text, style: styles[policy.text],
          content: .bar([.init(spread.mean, label: text)]),
          value: quantity.unit.value(spread.mean))
        return (quantity.better == .higher ? -spread.mean : spread.mean, row)
      }
      let sorted = rows.enumerated().sorted {
        ($0.element.0, $0.offset) < ($1.element.0, $1.offset)
      }.map(\.element.1)
      return RowChart.Group(title: comparison.columns[column].title, rows: sorted)
    }
    return RowChart(
      title: title, caption: caption,
      axis: ChartAxis(title: quantity.title, unit: quantity.unit), groups: groups)
  }

  /// Where the hits of each policy were found, a bar each; nil where there is one tier only.
  func tiers(caption: String) -> ChartFigure? {
    guard comparison.kind == .hybrid, isWorthDrawing, comparison.has({ $0.counts.hitRatio }) else {
      return nil
    }
    let groups = shownColumns.map { column in
      RowChart.Group(
        title: comparison.columns[column].title,
        rows: comparison.policies.compactMap { policy in
          guard
            let memory = comparison.spread(policy, column, of: { $0.share(\.memoryHits) })?.mean,
            let disk = comparison.spread(policy, column, of: { $0.share(\.diskHits) })?.mean
          else { return nil }
          return RowChart.Row(
            name: policy.text, series: policy.text, style: styles[policy.text],
            content: .bar([
              .init(memory, label: "\(ChartUnit.percent.value(memory)) in memory"),
              .init(disk, label: "\(ChartUnit.percent.value(disk)) on disk"),
            ]), value: ChartUnit.percent.value(memory + disk))
        })
    }
    return ChartFigure(
      [name, "tiers"],
      RowChart(
        title: "Hits by tier: \(name)", caption: caption,
        axis: ChartAxis(title: "share of requests", unit: .percent), groups: groups,
        parts: ["in memory", "on disk"]))
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
