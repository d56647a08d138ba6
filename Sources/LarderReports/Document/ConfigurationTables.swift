import LarderEngine
import LarderExperiments
import LarderSupport

/// The sections of one configuration.
struct ConfigurationTables {
  let comparison: Comparison
  /// Its name, with the trace if there are several.
  let name: String
  /// True if its hit ratios are shown with the recommendation.
  let isMain: Bool
  /// An earlier configuration with equal hits; nil if there is none.
  let same: String?
  let styles: PolicyStyles

  private var charts: ComparisonCharts {
    ComparisonCharts(comparison: comparison, name: name, styles: styles)
  }

  static func all(_ rankings: [ConfigurationRanking], styles: PolicyStyles)
    -> [ConfigurationTables]
  {
    rankings.enumerated().flatMap { number, ranking in
      ranking.entries.flatMap { entry in
        entry.comparisons.enumerated().map { place, comparison in
          ConfigurationTables(
            comparison: comparison,
            name: comparison.configuration + (rankings.count > 1 ? ", \(ranking.trace)" : ""),
            isMain: number == 0 && place == 0
              && ranking.first?.comparison.configuration == comparison.configuration
              && ranking.first?.comparison.unit == comparison.unit,
            same: place == 0 ? nil : entry.comparison.configuration, styles: styles)
        }
      }
    }
  }

  var front: [Block] { Block.section("\(ratioTitle): \(name)", hitRatios) }

  /// Everything except the hit ratios, which are included if `withFront` is true.
  func blocks(withFront: Bool) -> [Block] {
    var blocks: [Block] = [.paragraph(introduction)]
    if let same {
      blocks.append(.paragraph("Its hit ratios and bounds equal those of \(strong: same)."))
    } else {
      if withFront { blocks += Block.section(ratioTitle, hitRatios) }
      if comparison.countsBytes { blocks += section(.byteHitRatio, chart: "byte-hit-ratio") }
    }
    blocks += Block.section("Hits by tier", Block.figure(charts.tiers))
    return blocks + section(.accessTime, chart: "access-time") + section(.accessTime99)
      + staleHits + writes
  }

  private var introduction: Line {
    // A quantity that is no share carries its unit.
    let capacities = comparison.columns.map { column in
      let amount = column.description(comparison.unit)
      return column.title.hasSuffix("%") ? "\(column.title) = \(amount)" : amount
    }
    let whose = comparison.kind == .hybrid ? "Capacity of the disk tier" : "Capacity"
    var line: Line = "\(whose): \(capacities.joined(separator: "; "))."
    let seeds = Set(comparison.allRecords.map(\.cell.seed)).count
    if seeds > 1 {
      line = """
        \(line) Values are means over \(seeds) seeds, with the smallest and the largest in \
        parentheses.
        """
    }
    let memory = comparison.allRecords.compactMap(\.cell.memoryCapacity)
    if let low = memory.min(), let high = memory.max() {
      let range = CapacityColumn(title: "", smallest: low, largest: high)
      line = "\(line) Capacity of the memory tier: \(range.description(comparison.unit))."
    }
    return line
  }

  private var hitRatios: [Block] {
    guard comparison.has(comparison.mainMetric.value) else {
      return [.paragraph("No requests were counted, so no hit ratio exists.")]
    }
    return blocks(comparison.mainMetric, chart: "hit-ratio")
      + comparison.hitMetrics.dropFirst().flatMap { section($0) }
  }

  private var ratioTitle: String { comparison.hasPrefixes ? "Prefix hit ratio, %" : "Hit ratio, %" }

  private func blocks(_ metric: Metric, chart: String?) -> [Block] {
    guard comparison.has(metric.value) else { return [] }
    return Block.figure(chart.flatMap { charts.figure($0, metric) })
      + [.table(comparison.table(of: metric))]
  }

  private func section(_ metric: Metric, chart: String? = nil) -> [Block] {
    let unit = metric.unit == .percent ? ", %" : ""
    return Block.section(metric.title.capitalisedFirst + unit, blocks(metric, chart: chart))
  }

  private var staleHits: [Block] {
    guard comparison.allRecords.contains(where: { $0.counts.staleHits > 0 }) else { return [] }
    return Block.section(
      "Stale hits, % of requests",
      [
        .paragraph(
          """
          Requests that returned a copy older than the origin's. They are not in the hit ratio, by \
          which policies are ranked; bytes and hits by tier contain them.
          """),
        .table(comparison.table(of: .share("stale hits", .lower) { $0.staleHits })),
      ])
  }

  private var writes: [Block] {
    guard comparison.kind != .memory else { return [] }
    return section(
      Metric(
        "written to disk, \(comparison.unit.rawValue)", unit: ChartUnit(comparison.unit),
        better: .lower
      ) { record in record.tierCounts { $0.disk.bytesWritten }.map { Double($0) } })
  }
}

/// The charts of one configuration, from the records of its tables.
struct ComparisonCharts {
  let comparison: Comparison
  let name: String
  let styles: PolicyStyles

  private var isWorthDrawing: Bool { comparison.policies.count > 1 || comparison.columns.count > 1 }

  private var shown: [PolicyName] { comparison.competitors + comparison.offline }

  /// The chart of a metric; nil for one that leads to the policy of the main metric: a table does.
  func figure(_ word: String, _ metric: Metric) -> ChartFigure? {
    guard isWorthDrawing, comparison.has(metric.value) else { return nil }
    let ranking = Ranking(comparison, by: metric)
    let main = comparison.mainMetric
    if metric.name != main.name, ranking.leader == Ranking(comparison).leader { return nil }
    var caption = ranking.caption
    if comparison.kind == .hybrid, comparison.columns.count > 1 {
      caption += " Capacities are of the disk tier."
    }
    let title = "\(metric.title.capitalisedFirst): \(name)"
    let chart: any Chart =
      isCurve ? lines(metric, title, caption) : rows(metric, title, caption)
    return ChartFigure([name, word], chart)
  }

  /// True if the capacities have an order that can be drawn.
  private var isCurve: Bool {
    let places = comparison.columns.map(x)
    return places.count > 1 && places.allSatisfy { $0 > 0 }
      && zip(places, places.dropFirst()).allSatisfy { $0 < $1 }
      && comparison.columns.allSatisfy {
        !comparison.countsBytes || $0.largest < CapacitySpec.largestBytes
      }
  }

  private func x(_ column: CapacityColumn) -> Double {
    (Double(column.smallest) + Double(column.largest)) / 2
  }

  private func lines(_ metric: Metric, _ title: String, _ caption: String) -> LineChart {
    let ticks = comparison.columns.map { column in
      ChartAxis.Tick(
        value: x(column), label: column.title,
        detail: column.title.hasSuffix("%") ? column.description(comparison.unit) : nil)
    }
    let tier = comparison.kind == .hybrid ? "capacity of the disk tier" : "capacity"
    return LineChart(
      title: title, caption: caption,
      x: ChartAxis(
        title: comparison.countsBytes ? tier : "\(tier), objects",
        unit: ChartUnit(comparison.unit), isLogarithmic: true, ticks: ticks),
      y: ChartAxis(title: metric.title, unit: metric.unit),
      series: shown.map { policy in
        let points = comparison.columns.enumerated().compactMap { number, column in
          comparison.spread(policy, number, of: metric.value).map { spread in
            ChartSeries.Point(
              x: x(column), y: spread.mean, range: spread.range,
              label: "\(metric.unit.value(spread)) at \(column.title)")
          }
        }
        return ChartSeries(
          name: policy.text, style: styles[policy.text], points: points, isBound: policy.isOffline)
      })
  }

  private func rows(_ metric: Metric, _ title: String, _ caption: String) -> RowChart {
    let groups = comparison.columns.enumerated().map { number, column in
      let rows = shown.compactMap { policy in
        comparison.spread(policy, number, of: metric.value).map { (policy, $0) }
      }.sorted { metric.key($0.1.mean) }.map { policy, spread in
        RowChart.Row(
          name: policy.text, series: policy.text, style: styles[policy.text],
          marks: [.init(value: spread.mean, label: metric.unit.value(spread))],
          value: metric.unit.value(spread.mean))
      }
      return RowChart.Group(title: column.title, rows: rows)
    }
    return RowChart(
      title: title, caption: caption,
      axis: ChartAxis(title: metric.title, unit: metric.unit), groups: groups
    ).thinned
  }

  /// The hits of each policy by tier, as stacked bars; nil if there is only one tier.
  var tiers: ChartFigure? {
    guard comparison.kind == .hybrid, isWorthDrawing, comparison.has({ $0.counts.hitRatio }) else {
      return nil
    }
    func share(_ policy: PolicyName, _ column: Int, _ part: (Counts) -> UInt64) -> Double? {
      comparison.spread(policy, column, of: { $0.share(part) })?.mean
    }
    func range(_ part: (Counts) -> UInt64) -> String {
      ChartUnit.percent.range(
        comparison.columns.indices.flatMap { column in
          comparison.competitors.compactMap { share($0, column, part) }
        })
    }
    let groups = comparison.columns.enumerated().map { number, column in
      RowChart.Group(
        title: column.title,
        rows: comparison.policies.compactMap { policy in
          guard let memory = share(policy, number, \.memoryHits),
            let disk = share(policy, number, \.diskHits)
          else { return nil }
          return .bar(
            policy.text, policy.text, styles, [(memory, "in memory"), (disk, "on disk")],
            value: ChartUnit.percent.value(memory + disk))
        })
    }
    return ChartFigure(
      [name, "tiers"],
      RowChart(
        title: "Hits by tier: \(name)",
        caption: "\(range(\.memoryHits)) of the requests are memory hits, and "
          + "\(range(\.diskHits)) are disk hits.",
        axis: ChartAxis(title: "share of requests", unit: .percent), groups: groups,
        parts: ["in memory", "on disk"]
      ).thinned)
  }
}
