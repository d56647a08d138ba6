/// The charts of designs side by side.
struct DesignCharts {
  let designs: Designs
  /// What the charts are named for.
  let name: String
  let styles: PolicyStyles

  private static let rowsMax = 40

  private var shown: [Design] { designs.designs }

  /// The hits of each design and where they were found, the most first.
  var hits: ChartFigure? {
    let metric: Metric = designs.hasPrefixes ? .prefixHitRatio : .hitRatio
    // Of prefix hits it is not counted which tier they were in.
    let hasDisk =
      !designs.hasPrefixes && shown.contains { ($0.share { $0.diskHits } ?? 0) > 0 }
    let rows = shown.compactMap { design -> (Double, RowChart.Row)? in
      guard let ratio = design.mean(metric.value) else { return nil }
      let disk = hasDisk ? (design.share { $0.diskHits } ?? 0) / 100 : 0
      let parts: [RowChart.Mark] =
        hasDisk
        ? [
          .init(ratio - disk, label: "\(ChartUnit.percent.value(ratio - disk)) in memory"),
          .init(disk, label: "\(ChartUnit.percent.value(disk)) on disk"),
        ] : [.init(ratio, label: ChartUnit.percent.value(ratio))]
      return (-ratio, row(design, .bar(parts), ChartUnit.percent.value(ratio)))
    }
    return figure(
      "hits", hasDisk ? "Hits by tier" : "Hits", rows,
      ChartAxis(title: metric.title, unit: .percent),
      caption: {
        "\($0.name) has the highest \(metric.name) (\($0.value)), "
          + "\($1.name) the lowest (\($1.value))."
      },
      parts: hasDisk ? ["in memory", "on disk"] : [])
  }

  /// The modelled access time of each design, the shortest first; nil without a model.
  var access: ChartFigure? {
    let rows = shown.compactMap { design -> (Double, RowChart.Row)? in
      guard let mean = design.mean({ $0.modelled?.meanMicroseconds }) else { return nil }
      let text = ChartUnit.nanoseconds.value(mean * 1000)
      return (mean, row(design, .bar([.init(mean * 1000, label: text)]), text))
    }
    return figure(
      "access-time", "Modelled mean access time", rows,
      ChartAxis(title: "mean access time: modelled, not measured", unit: .nanoseconds),
      caption: {
        "\($0.name) has the shortest modelled mean access (\($0.value)), \($1.name) the longest "
          + "(\($1.value))."
      })
  }

  private func row(_ design: Design, _ content: RowChart.Content, _ value: String) -> RowChart.Row {
    RowChart.Row(
      name: designs.title(design), series: design.cell.policy, style: styles[design.cell.policy],
      content: content, value: value)
  }

  private func figure(
    _ word: String, _ title: String, _ rows: [(Double, RowChart.Row)], _ axis: ChartAxis,
    caption: (RowChart.Row, RowChart.Row) -> String, parts: [String] = []
  ) -> ChartFigure? {
    let sorted = rows.sorted(byKey: { $0.0 }).map(\.1)
    guard sorted.count > 1, sorted.count <= Self.rowsMax, let first = sorted.first,
      let last = sorted.last
    else { return nil }
    return ChartFigure(
      [name, word],
      RowChart(
        title: "\(title): \(name)", caption: caption(first, last), axis: axis,
        groups: [RowChart.Group(rows: sorted)], parts: parts))
  }
}
