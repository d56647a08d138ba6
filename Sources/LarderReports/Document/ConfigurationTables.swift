import LarderEngine
import LarderExperiments
import LarderSupport

struct ConfigurationTables {
  let comparison: Comparison
  let name: String
  let isMain: Bool
  let same: String?
  let styles: PolicyStyles

  private var charts: ComparisonCharts {
    ComparisonCharts(comparison: comparison, name: name, styles: styles)
  }

  static func all(_ rankings: [ConfigurationRanking], styles: PolicyStyles)
    -> [ConfigurationTables]
  {
    let severalTraces = rankings.count > 1
    return rankings.enumerated().flatMap { number, ranking in
      ranking.entries.flatMap { entry in
        entry.comparisons.enumerated().map { place, comparison in
          ConfigurationTables(
            comparison: comparison,
            name: ReportDocument.name(of: comparison, severalTraces: severalTraces),
            isMain: number == 0 && place == 0
              && ranking.first?.comparison.configuration == comparison.configuration
              && ranking.first?.comparison.countsBytes == comparison.countsBytes,
            same: place == 0 ? nil : entry.comparison.configuration, styles: styles)
        }
      }
    }
  }

  var front: [Block] { [.heading(3, [.text("\(ratioTitle): \(name)")])] + hitRatios }

  func blocks(withFront: Bool) -> [Block] {
    var blocks: [Block] = [.paragraph([.text(introduction)])]
    if let same {
      blocks.append(
        .paragraph(["Its hit ratios and bounds equal those of ", .strong(same), "."]))
    } else {
      if withFront { blocks += [.heading(3, [.text(ratioTitle)])] + hitRatios }
      if comparison.countsBytes {
        blocks += section("Byte hit ratio, %", "byte-hit-ratio", .byteHitRatio)
      }
    }
    return blocks + tiers + modelled + staleHits + writes
  }

  private var introduction: String {
    // A quantity that is no share carries its unit.
    let capacities = comparison.columns.map { column in
      let amount = column.description(bytes: comparison.countsBytes)
      return column.title.hasSuffix("%") ? "\(column.title) = \(amount)" : amount
    }
    let whose = comparison.kind == .hybrid ? "Capacity of the disk tier" : "Capacity"
    var text = "\(whose): \(capacities.joined(separator: "; "))."
    let seeds = Set(comparison.allRecords.map(\.cell.seed)).count
    if seeds > 1 {
      text +=
        " Values are means over \(seeds) seeds, with the smallest and the largest in "
        + "parentheses."
    }
    if let memory = memoryCapacity { text += " \(memory)" }
    return text
  }

  private var memoryCapacity: String? {
    let capacities = comparison.allRecords.compactMap(\.cell.memoryCapacity)
    guard let low = capacities.min(), let high = capacities.max() else { return nil }
    func amount(_ value: UInt64) -> String {
      NumberText.capacity(value, bytes: comparison.countsBytes)
    }
    let range = low == high ? amount(low) : "\(amount(low)) to \(amount(high))"
    let unit = comparison.countsBytes ? "" : " objects"
    return "Capacity of the memory tier: \(range)\(unit)."
  }

  private var hitRatios: [Block] {
    guard comparison.has(comparison.mainMetric.value) else {
      return [.paragraph(["No requests were counted, so no hit ratio exists."])]
    }
    return chart("hit-ratio", comparison.mainMetric) + [table(comparison.mainMetric)]
      + comparison.hitMetrics.dropFirst().flatMap { metric in
        section("\(metric.title.prefix(1).uppercased())\(metric.title.dropFirst()), %", nil, metric)
      }
  }

  private var ratioTitle: String {
    comparison.hasPrefixes ? "Prefix hit ratio, %" : "Hit ratio, %"
  }

  private func chart(_ word: String, _ metric: Metric) -> [Block] {
    charts.figure(word, metric).map { [.chart($0)] } ?? []
  }

  private func table(_ metric: Metric) -> Block {
    .table(ValueTable(comparison: comparison, metric: metric).table)
  }

  private func section(_ title: String, _ word: String?, _ metric: Metric) -> [Block] {
    guard comparison.has(metric.value) else { return [] }
    let chart = word.map { self.chart($0, metric) } ?? []
    return [.heading(3, [.text(title)])] + chart + [table(metric)]
  }

  private var tiers: [Block] {
    charts.tiers.map { [.heading(3, ["Hits by tier"]), .chart($0)] } ?? []
  }

  private var modelled: [Block] {
    let p99 = Metric(title: "", name: "99th percentile", unit: .nanoseconds, better: .lower) {
      $0.modelled.map { $0.p99Microseconds * 1000 }
    }
    return section("Mean access time: modelled, not measured", "access-time", .accessTime)
      + section("99th percentile of the access time: modelled, not measured", nil, p99)
  }

  private var staleHits: [Block] {
    guard comparison.allRecords.contains(where: { $0.counts.staleHits > 0 }) else { return [] }
    return [
      .heading(3, ["Stale hits, % of requests"]),
      .paragraph([
        "Requests that returned a copy older than the origin's. They are not in the hit ratio, by ",
        "which policies are ranked; bytes and hits by tier contain them.",
      ]),
      table(.share("stale hits", .lower) { $0.staleHits }),
    ]
  }

  private var writes: [Block] {
    guard comparison.kind != .memory else { return [] }
    let unit: ChartUnit = comparison.countsBytes ? .bytes : .objects
    return section(
      "Written to disk, \(comparison.countsBytes ? "bytes" : "objects")", nil,
      Metric(title: "", name: "", unit: unit, better: .lower) { record in
        record.tierCounts { $0.disk.bytesWritten }.map { Double($0) }
      })
  }
}

/// A table of one metric: a row for each policy, a column for each capacity. The best is marked;
/// policies that know the future are at the end and never marked.
struct ValueTable {
  let comparison: Comparison
  let metric: Metric
  var showsRange = true

  var table: Table {
    let columns = comparison.columns.indices.map { column in
      let best = bestPolicies(column)
      return Column<PolicyName>(comparison.columns[column].title) { policy in
        guard let text = text(policy, column) else { return Table.none }
        return best.contains(policy) ? .strong(text) : .text(text)
      }
    }
    return Table(
      comparison.competitors + comparison.offline,
      [.init("policy") { Self.title($0, in: comparison) }] + columns)
  }

  static func title(_ policy: PolicyName, in comparison: Comparison) -> Inline {
    policy.isOffline ? .text(comparison.title(of: policy)) : .code(policy.text)
  }

  private func bestPolicies(_ column: Int) -> [PolicyName] {
    guard metric.better != .none else { return [] }
    let ranking = RankingColumn(comparison, column, by: metric)
    return ranking.best.count < ranking.entries.count ? ranking.best : []
  }

  private func text(_ policy: PolicyName, _ column: Int) -> String? {
    guard let spread = comparison.spread(policy, column, of: metric.value),
      let mean = metric.cell(spread.mean)
    else { return nil }
    guard showsRange, spread.varies, let low = metric.cell(spread.smallest),
      let high = metric.cell(spread.largest),
      low != high
    else { return mean }
    return "\(mean) (\(low)–\(high))"
  }
}

struct ComparisonCharts {
  let comparison: Comparison
  let name: String
  let styles: PolicyStyles

  var isWorthDrawing: Bool { comparison.policies.count > 1 || comparison.columns.count > 1 }

  func figure(_ word: String, _ metric: Metric) -> ChartFigure? {
    guard isWorthDrawing, comparison.has(metric.value) else { return nil }
    var caption = RankingWords([Ranking(comparison, by: metric)]).caption
    if comparison.kind == .hybrid, comparison.columns.count > 1 {
      caption += " Capacities are of the disk tier."
    }
    let title = "\(metric.title.prefix(1).uppercased())\(metric.title.dropFirst()): \(name)"
    let chart: any Chart =
      isCurve
      ? lines(metric, title, caption)
      : rows(metric, title, caption)
    return ChartFigure([name, word], chart)
  }

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
      series: (comparison.competitors + comparison.offline).map { policy in
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

  static func range(_ spread: Spread) -> ClosedRange<Double>? {
    spread.varies ? spread.smallest...spread.largest : nil
  }

  private func rows(
    _ metric: Metric, _ title: String, _ caption: String
  ) -> RowChart {
    let groups = comparison.columns.indices.map { column -> RowChart.Group in
      let sign = metric.better == .higher ? -1.0 : 1.0
      let rows = (comparison.competitors + comparison.offline).compactMap { policy in
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
      axis: ChartAxis(title: metric.title, unit: metric.unit), groups: groups
    ).thinned
  }

  var tiers: ChartFigure? {
    guard comparison.kind == .hybrid, isWorthDrawing, comparison.has({ $0.counts.hitRatio }) else {
      return nil
    }
    var shares: (memory: [Double], disk: [Double]) = ([], [])
    let groups = comparison.columns.indices.map { column in
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
          return .bar(
            policy.text, policy.text, styles, [(memory, "in memory"), (disk, "on disk")],
            value: ChartUnit.percent.value(memory + disk))
        })
    }
    let caption =
      "\(Self.range(shares.memory)) of the requests are memory hits, and "
      + "\(Self.range(shares.disk)) are disk hits."
    return ChartFigure(
      [name, "tiers"],
      RowChart(
        title: "Hits by tier: \(name)", caption: caption,
        axis: ChartAxis(title: "share of requests", unit: .percent), groups: groups,
        parts: ["in memory", "on disk"]
      ).thinned)
  }

  static func range(_ values: [Double]) -> String {
    guard let least = values.min(), let most = values.max() else { return "none" }
    let (low, high) = (ChartUnit.percent.value(least), ChartUnit.percent.value(most))
    return low == high ? low : "\(low.dropLast(2)) to \(high)"
  }
}

extension ChartUnit {
  func value(_ spread: Spread) -> String {
    guard spread.varies else { return value(spread.mean) }
    return "\(value(spread.mean)) (\(value(spread.smallest)) to \(value(spread.largest)))"
  }
}

extension Record {
  func share(_ part: (Counts) -> UInt64) -> Double? {
    counts.requests == 0 ? nil : Double(part(counts)) / Double(counts.requests)
  }
}
