import LarderSystem

/// How fast the policies of one configuration were simulated.
struct SpeedChart {
  let comparison: Comparison
  /// What the chart is named for.
  let name: String
  let styles: PolicyStyles

  /// A mark a policy, the fastest first; nil where fewer than two were timed.
  var figure: ChartFigure? {
    let rows = comparison.policies.compactMap { policy -> (Double, RowChart.Row)? in
      let timings = comparison.records(policy).flatMap(\.timings)
      guard let speed = Spread(timings.compactMap(\.requestsPerSecond)) else { return nil }
      let range =
        speed.varies ? ", \(Self.millions(speed.smallest)) to \(Self.millions(speed.largest))" : ""
      let mark = RowChart.Mark(
        speed.median / 1e6,
        range: speed.varies ? (speed.smallest / 1e6)...(speed.largest / 1e6) : nil,
        label: "\(Self.millions(speed.median)) million requests/s\(range)")
      let row = RowChart.Row(
        name: policy.text, series: policy.text, style: styles[policy.text],
        content: .marks([mark]), value: Self.millions(speed.median))
      return (-speed.median, row)
    }
    guard rows.count > 1 else { return nil }
    let sorted = rows.sorted(byKey: { $0.0 }).map(\.1)
    guard let first = sorted.first, let last = sorted.last else { return nil }
    return ChartFigure(
      [name, "speed"],
      RowChart(
        title: "Speed of the simulation: \(name)",
        caption: "\(first.name) was simulated fastest (\(first.value) million requests per "
          + "second), \(last.name) slowest (\(last.value)). Marks are medians over capacities, "
          + "seeds and repetitions; lines show the range from the slowest to the fastest.",
        axis: ChartAxis(title: "million requests per second", unit: .number),
        groups: [RowChart.Group(rows: sorted)]))
  }

  private static func millions(_ value: Double) -> String {
    NumberText.fixed(value / 1e6, decimals: 2) ?? "–"
  }
}
