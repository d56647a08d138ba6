@testable import LarderReports

/// Handmade charts.
enum SampleCharts {
  /// A curve for each policy over the capacities.
  static func lines(
    _ policies: [String] = ["lru", "s3-fifo", "belady"],
    capacities: [Double] = [1000, 2000, 5000, 10_000]
  ) -> LineChart {
    let styles = PolicyStyles(policies)
    return LineChart(
      title: "Hit ratio", caption: "s3-fifo has the highest hit ratio.",
      x: ChartAxis(title: "capacity, objects", unit: .objects, isLogarithmic: true),
      y: ChartAxis(title: "hit ratio", unit: .percent),
      series: policies.enumerated().map { number, policy in
        ChartSeries(
          name: policy, style: styles[policy],
          points: capacities.enumerated().map { index, capacity in
            .init(x: capacity, y: 0.1 + Double(index) * 0.15 + Double(number) * 0.03)
          }, isBound: policy == "belady")
      })
  }

  static func rows(_ names: [String] = ["lru+fifo", "lru+s3-fifo"]) -> RowChart {
    RowChart(
      title: "Hits by tier", caption: "Most hits are in memory.",
      axis: ChartAxis(title: "share of requests", unit: .percent),
      groups: [
        RowChart.Group(
          title: "16MiB",
          rows: names.map { name in
            RowChart.Row(
              name: name, series: name, style: PolicyStyles.style(name),
              marks: [
                .init(value: 0.25, label: "25.00 % in memory"),
                .init(value: 0.125, label: "12.50 % on disk"),
              ], value: "37.50 %")
          }),
        RowChart.Group(rows: [
          RowChart.Row(
            name: "marks", series: "marks", style: PolicyStyles.style("fifo"),
            marks: [
              .init(value: 0.1, label: "10 %"),
              .init(value: 0.2, range: 0.15...0.22, label: "20 %"),
            ], isBar: false, value: "20 %")
        ]),
      ], parts: ["in memory", "on disk"])
  }
}
